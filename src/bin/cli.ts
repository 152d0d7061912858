import('../../scripts/check-node.cjs').then(() => import('../cli/main.ts'))
