import('../../scripts/prelude.cjs').then(() => import('../cli/main.ts')).then(({ main }) => main())
