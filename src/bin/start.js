import('../../scripts/prelude.cjs').then(() => import('../process/start.ts')).then(({ main }) => main())
