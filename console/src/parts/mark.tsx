/** SITE_LOGO, or the paw of `/docs`. */
export const Mark = () => <img className="mark" src="console/logo" alt="" width={24} height={24} />
