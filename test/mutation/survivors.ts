/**
 * Mutants that no test kills, by file: the name of the mutant, and why it may live. `npm run test:mutation` fails if one
 * of them is killed or no longer exists.
 */
export const survivors: Readonly<Record<string, Readonly<Record<string, string>>>> = {}
