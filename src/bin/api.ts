import('../../scripts/check-node.cjs').then(() => import('../api/main.ts'))
