import('../../scripts/prelude.cjs').then(() => import('../api/main.ts')).then(({ main }) => main())
