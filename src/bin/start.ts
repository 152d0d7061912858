import('../../scripts/check-node.cjs').then(() => import('../process/start.ts'))
