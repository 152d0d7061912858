import('../../scripts/check-node.cjs').then(() => import('../worker/main.ts'))
