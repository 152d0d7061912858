/** The paw of `/docs` (src/reference/mark.ts). */
export const Mark = () => <img className="mark" src="docs.svg" alt="" width={24} height={24} />
