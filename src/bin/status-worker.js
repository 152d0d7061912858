import('../../scripts/prelude.cjs').then(() => import('../worker/main.ts')).then(({ main }) => main())
