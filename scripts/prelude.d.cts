export const compileCacheFolder: string
