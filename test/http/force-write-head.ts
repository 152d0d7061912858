import { forceWriteHead } from '../../src/http/node-internals.ts'

/*
 * A preload: `node --import ./test/http/force-write-head.ts --test 'test/http/*.test.ts'` runs the kit as on a Node whose
 * internals differ.
 */

forceWriteHead()
