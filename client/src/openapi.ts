/* Written by `npm run generate` from docs/openapi.json. */

export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Greeting"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Health"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Ready, possibly degraded */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Readiness"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/plain": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs.md": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/markdown": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs.js": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/javascript": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs.css": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/css": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs.svg": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "image/svg+xml": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": Record<string, never>;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    file: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/javascript": string;
                        "text/css": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description At most 16 KiB. Unknown fields are ignored. */
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "username": "alice",
                     *       "password": "correct horse battery"
                     *     }
                     */
                    "application/json": components["schemas"]["Credentials"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SignedInUser"];
                    };
                };
            };
        };
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Done"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/owner": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description At most 16 KiB. Unknown fields are ignored. */
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "code": "k7wq3hzt9mcx2fnb",
                     *       "username": "alice",
                     *       "password": "correct horse battery"
                     *     }
                     */
                    "application/json": components["schemas"]["CreateFirstOwnerRequest"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FirstOwner"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/e/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description The same seed gives the same choice as long as the images stay the same. */
                    seed?: string;
                    /** @description The image itself (the default), or a redirect to its URL. One of `bytes`, `redirect`. */
                    as?: "bytes" | "redirect";
                };
                header?: never;
                path: {
                    token: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The bytes, with the stored type */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "*/*": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description At most 16 KiB. Unknown fields are ignored. */
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "username": "alice",
                     *       "password": "correct horse battery"
                     *     }
                     */
                    "application/json": components["schemas"]["Credentials"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Session"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description At most 16 KiB. Unknown fields are ignored. */
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "username": "alice",
                     *       "password": "correct horse battery"
                     *     }
                     */
                    "application/json": components["schemas"]["Credentials"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Session"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Me"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Done"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description At most 16 KiB. Unknown fields are ignored. */
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "currentPassword": "correct horse battery",
                     *       "newPassword": "another horse, another battery"
                     *     }
                     */
                    "application/json": components["schemas"]["ChangePasswordRequest"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Session"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description At most 16 KiB. Unknown fields are ignored. */
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "password": "correct horse battery"
                     *     }
                     */
                    "application/json": components["schemas"]["DeleteAccountRequest"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Done"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["KeyList"];
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description At most 64 KiB. Unknown fields are ignored. */
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "name": "photo frame",
                     *       "scopes": [
                     *         "images"
                     *       ],
                     *       "expiresIn": "30d",
                     *       "limitPerMinute": 60,
                     *       "password": "correct horse battery"
                     *     }
                     */
                    "application/json": components["schemas"]["CreateKeyRequest"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CreatedKey"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            /** @description At most 64 KiB. Unknown fields are ignored. */
            requestBody?: {
                content: {
                    /**
                     * @example {
                     *       "graceSeconds": 3600,
                     *       "password": "correct horse battery"
                     *     }
                     */
                    "application/json": components["schemas"]["RotateKeyRequest"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RotatedKey"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Done"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ConsoleSessionList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            /** @description At most 64 KiB. Unknown fields are ignored. */
            requestBody?: {
                content: {
                    /**
                     * @example {
                     *       "password": "correct horse battery"
                     *     }
                     */
                    "application/json": components["schemas"]["EndSessionRequest"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Done"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/embed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["EmbedLinkList"];
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description At most 16 KiB. Unknown fields are ignored. */
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "kind": "fox"
                     *     }
                     */
                    "application/json": components["schemas"]["EmbedLinkTerms"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CreatedEmbedLink"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/embed/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RevokedEmbedLink"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/images": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["KindList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/images/random": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description Comma-separated; every image of these kinds is equally likely. All kinds by default. */
                    kinds?: string;
                    /** @description The number of distinct images, in an `images` array; all images if there are fewer. 1 to 30. */
                    count?: number;
                    /** @description The same seed gives the same choice as long as the images stay the same. */
                    seed?: string;
                    /** @description The description (the default), a redirect to the image, the image itself, or its URL. One of `json`, `redirect`, `bytes`, `text`. */
                    as?: "json" | "redirect" | "bytes" | "text";
                    /** @description `no`: every image of a kind once before any is repeated, in a different order for each user. The header `X-Images-Remaining` says how many are left. One of `yes`, `no`. */
                    repeat?: "yes" | "no";
                    /** @description Only images of this orientation, as displayed. One of `landscape`, `portrait`, `square`. */
                    orientation?: "landscape" | "portrait" | "square";
                    /** @description Only animated images, or only those that are not. */
                    animated?: boolean;
                    /** @description Only images of at least this width, in pixels as displayed. At least 0. */
                    minWidth?: number;
                    /** @description Only images of at least this height, in pixels as displayed. At least 0. */
                    minHeight?: number;
                    /** @description 1: adds `width`, `height`, `mime` and `animated`, as read from the first bytes of the file. 0 to 1; `0` by default. */
                    meta?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A description, several with `count`, or with `as` the URL or the image itself */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ImageDescriptor"] | components["schemas"]["ImageList"];
                        "text/plain": string;
                        "*/*": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/images/{kind}/random": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description The number of distinct images, in an `images` array; all images if there are fewer. 1 to 30. */
                    count?: number;
                    /** @description The same seed gives the same choice as long as the images stay the same. */
                    seed?: string;
                    /** @description The description (the default), a redirect to the image, the image itself, or its URL. One of `json`, `redirect`, `bytes`, `text`. */
                    as?: "json" | "redirect" | "bytes" | "text";
                    /** @description `no`: every image of a kind once before any is repeated, in a different order for each user. The header `X-Images-Remaining` says how many are left. One of `yes`, `no`. */
                    repeat?: "yes" | "no";
                    /** @description Only images of this orientation, as displayed. One of `landscape`, `portrait`, `square`. */
                    orientation?: "landscape" | "portrait" | "square";
                    /** @description Only animated images, or only those that are not. */
                    animated?: boolean;
                    /** @description Only images of at least this width, in pixels as displayed. At least 0. */
                    minWidth?: number;
                    /** @description Only images of at least this height, in pixels as displayed. At least 0. */
                    minHeight?: number;
                    /** @description 1: adds `width`, `height`, `mime` and `animated`, as read from the first bytes of the file. 0 to 1; `0` by default. */
                    meta?: number;
                };
                header?: never;
                path: {
                    kind: components["schemas"]["ImageKind"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A description, several with `count`, or with `as` the URL or the image itself */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ImageDescriptor"] | components["schemas"]["ImageList"];
                        "text/plain": string;
                        "*/*": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/images/{kind}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description Images per page. 1 to 500; `50` by default. */
                    limit?: number;
                    /** @description `newest`: by `lastModified`, the newest first. A `cursor` continues its own order. One of `name`, `newest`; `name` by default. */
                    sort?: "name" | "newest";
                    /** @description The `next` of the previous page. */
                    cursor?: string;
                    /** @description Only images of this orientation, as displayed. One of `landscape`, `portrait`, `square`. */
                    orientation?: "landscape" | "portrait" | "square";
                    /** @description Only animated images, or only those that are not. */
                    animated?: boolean;
                    /** @description Only images of at least this width, in pixels as displayed. At least 0. */
                    minWidth?: number;
                    /** @description Only images of at least this height, in pixels as displayed. At least 0. */
                    minHeight?: number;
                    /** @description 1: adds `width`, `height`, `mime` and `animated`, as read from the first bytes of the file. 0 to 1; `0` by default. */
                    meta?: number;
                };
                header?: never;
                path: {
                    kind: components["schemas"]["ImageKind"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ImagePage"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/images/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description At most 64 KiB. Unknown fields are ignored. */
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "name": "fox/fox-at-dusk.png",
                     *       "reason": "Not a fox"
                     *     }
                     */
                    "application/json": components["schemas"]["ReportImageRequest"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ImageReported"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/i/{folder}/{filename}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    folder: string;
                    filename: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The bytes, with the stored type */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "*/*": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/ban": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: {
                    /** @description Performs every check and replies with `dryRun: true`, but changes nothing. `false` by default. */
                    dryRun?: boolean;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description At most 64 KiB. Unknown fields are ignored. */
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "userId": "019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3"
                     *     }
                     */
                    "application/json": components["schemas"]["BanUserRequest"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["UserChange"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/unban": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: {
                    /** @description Performs every check and replies with `dryRun: true`, but changes nothing. `false` by default. */
                    dryRun?: boolean;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description At most 64 KiB. Unknown fields are ignored. */
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "userId": "019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3"
                     *     }
                     */
                    "application/json": components["schemas"]["UserIdentifier"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["UserChange"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/user/revoke-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: {
                    /** @description Performs every check and replies with `dryRun: true`, but changes nothing. `false` by default. */
                    dryRun?: boolean;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description At most 64 KiB. Unknown fields are ignored. */
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "userId": "019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3"
                     *     }
                     */
                    "application/json": components["schemas"]["UserIdentifier"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["UserChange"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/user/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: {
                    /** @description Performs every check and replies with `dryRun: true`, but changes nothing. `false` by default. */
                    dryRun?: boolean;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description At most 64 KiB. Unknown fields are ignored. */
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "userId": "019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3"
                     *     }
                     */
                    "application/json": components["schemas"]["UserIdentifier"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["UserChange"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/user/edit/role": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: {
                    /** @description Performs every check and replies with `dryRun: true`, but changes nothing. `false` by default. */
                    dryRun?: boolean;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description At most 64 KiB. Unknown fields are ignored. */
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "userId": "019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3",
                     *       "role": "user"
                     *     }
                     */
                    "application/json": components["schemas"]["ChangeRoleRequest"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["UserChange"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/user/edit/username": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: {
                    /** @description Performs every check and replies with `dryRun: true`, but changes nothing. `false` by default. */
                    dryRun?: boolean;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description At most 64 KiB. Unknown fields are ignored. */
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "userId": "019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3",
                     *       "newUsername": "alicia"
                     *     }
                     */
                    "application/json": components["schemas"]["RenameUserRequest"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["UserChange"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/user/reset-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: {
                    /** @description Performs every check and replies with `dryRun: true`, but changes nothing. `false` by default. */
                    dryRun?: boolean;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description At most 64 KiB. Unknown fields are ignored. */
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "userId": "019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3"
                     *     }
                     */
                    "application/json": components["schemas"]["ResetPasswordRequest"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PasswordReset"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/user/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: {
                    /** @description Performs every check and replies with `dryRun: true`, but changes nothing. `false` by default. */
                    dryRun?: boolean;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description At most 64 KiB. Unknown fields are ignored. */
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "username": "alice",
                     *       "role": "user",
                     *       "password": "correct horse battery"
                     *     }
                     */
                    "application/json": components["schemas"]["CreateUserRequest"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CreatedUser"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/user/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description Wins if both are given. One of userId and username is required. */
                    userId?: string;
                    /** @description Case-insensitive. One of userId and username is required. */
                    username?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["KeyList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/user/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: {
                    /** @description Performs every check and replies with `dryRun: true`, but changes nothing. `false` by default. */
                    dryRun?: boolean;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["UserChange"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/user/ban": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description Wins if both are given. One of userId and username is required. */
                    userId?: string;
                    /** @description Case-insensitive. One of userId and username is required. */
                    username?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["BanOfUser"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/user/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description Wins if both are given. One of userId and username is required. */
                    userId?: string;
                    /** @description Case-insensitive. One of userId and username is required. */
                    username?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FoundUser"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description 1 to 500; `50` by default. */
                    limit?: number;
                    /** @description The `next` value of the previous page. */
                    cursor?: string;
                    /** @description Only usernames that contain this text, in any case; there are no wildcards. */
                    q?: string;
                    /** @description Only users with this role. One of `user`, `support`, `moderator`, `admin`, `owner`. */
                    role?: "user" | "support" | "moderator" | "admin" | "owner";
                    /** @description Only banned users, or only users who are not banned. */
                    banned?: boolean;
                    /** @description A leading `-` means descending. One of `createdAt`, `-createdAt`, `username`, `-username`, `total`, `-total`; `createdAt` by default. */
                    sort?: "createdAt" | "-createdAt" | "username" | "-username" | "total" | "-total";
                    /** @description Only these users: at most 100 comma-separated ids. */
                    ids?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["UserList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/dashboard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description 1 to 500; `50` by default. */
                    limit?: number;
                    /** @description The `next` value of the previous page. */
                    cursor?: string;
                    /** @description Only usernames that contain this text, in any case; there are no wildcards. */
                    q?: string;
                    /** @description Only users with this role. One of `user`, `support`, `moderator`, `admin`, `owner`. */
                    role?: "user" | "support" | "moderator" | "admin" | "owner";
                    /** @description Only banned users, or only users who are not banned. */
                    banned?: boolean;
                    /** @description A leading `-` means descending. One of `createdAt`, `-createdAt`, `username`, `-username`, `total`, `-total`; `createdAt` by default. */
                    sort?: "createdAt" | "-createdAt" | "username" | "-username" | "total" | "-total";
                    /** @description Only these users: at most 100 comma-separated ids. */
                    ids?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Dashboard"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["UsersByRole"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description The first day; by default the oldest that is kept. */
                    from?: string;
                    /** @description The last day; today by default. */
                    to?: string;
                    /** @description Only this user; by default all users together. Wins if `username` is given too. */
                    userId?: string;
                    /** @description Only this user; case-insensitive. */
                    username?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Usage"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description Only this event; none if it is no longer kept. */
                    id?: string;
                    /** @description Only acts by this account (id or name), or by `cli` or `system`. A name that is no longer in use finds the accounts that had it. */
                    actor?: string;
                    /** @description Only acts on this account (id or name, as for `actor`), or on this object (`<bucket>/<name>`). */
                    target?: string;
                    /** @description Only this action. One of `register`, `create`, `delete`, `login`, `logout`, `password`, `ban`, `unban`, `role`, `rename`, `revoke-token`, `reset-password`, `upload`, `delete-object`, `ban.read`, `user.read`, `users.read`, `usage.read`, `audit.read`, `audit.missing`, `store.test`, `create-key`, `rotate-key`, `revoke-key`, `keys.read`, `create-embed`, `revoke-embed`, `end-session`, `report`, `reports.read`, `duplicates.read`, `set-aside.read`, `status.read`, `service.read`, `retire-component`, `announce-maintenance`, `change-maintenance`, `end-maintenance`, `announce`, `end-announcement`, `test-target`, `resolve-report`, `unhide`. */
                    action?: "register" | "create" | "delete" | "login" | "logout" | "password" | "ban" | "unban" | "role" | "rename" | "revoke-token" | "reset-password" | "upload" | "delete-object" | "ban.read" | "user.read" | "users.read" | "usage.read" | "audit.read" | "audit.missing" | "store.test" | "create-key" | "rotate-key" | "revoke-key" | "keys.read" | "create-embed" | "revoke-embed" | "end-session" | "report" | "reports.read" | "duplicates.read" | "set-aside.read" | "status.read" | "service.read" | "retire-component" | "announce-maintenance" | "change-maintenance" | "end-maintenance" | "announce" | "end-announcement" | "test-target" | "resolve-report" | "unhide";
                    /** @description Earliest time, inclusive. */
                    from?: string;
                    /** @description Latest time, inclusive. */
                    to?: string;
                    /** @description 1 to 500; `50` by default. */
                    limit?: number;
                    /** @description The `next` value of the previous page. */
                    cursor?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AuditPage"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/service": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Service"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/status/components": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AdminComponentList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/status/incidents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description `true`: only open incidents; `false`: only resolved ones. One of `true`, `false`. */
                    open?: "true" | "false";
                    /** @description 1 to 500; `50` by default. */
                    limit?: number;
                    /** @description The `next` of the previous page. */
                    cursor?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AdminIncidentPage"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/status/maintenance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description One of `planned`, `active`, `over`. */
                    state?: "planned" | "active" | "over";
                    /** @description 1 to 500; `50` by default. */
                    limit?: number;
                    /** @description The `next` of the previous page. */
                    cursor?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AdminMaintenanceList"];
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description At most 128 KiB. Unknown fields are ignored. */
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "components": [
                     *         "backup",
                     *         "database"
                     *       ],
                     *       "from": "2026-06-01T12:00:00Z",
                     *       "until": "2026-06-01T12:00:00Z",
                     *       "text": "Moving to the new disks"
                     *     }
                     */
                    "application/json": components["schemas"]["AnnounceStatusMaintenanceRequest"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AdminNewMaintenanceReply"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/status/announcements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description One of `planned`, `active`, `over`. */
                    state?: "planned" | "active" | "over";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AdminAnnouncementList"];
                    };
                };
            };
        };
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description At most 64 KiB. Unknown fields are ignored. */
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "text": "The photographs of the zoo arrive on Monday",
                     *       "from": "2026-06-01T12:00:00Z",
                     *       "until": "2026-06-01T12:00:00Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AnnounceOnStatusPageRequest"];
                };
            };
            responses: {
                /** @description Created */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AdminNewAnnouncementReply"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/status/targets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AdminTargetList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/status/diag": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AdminDiagnostics"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/status/components/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: {
                    /** @description What to tell its status pages; `maintenance` by default. One of `operational`, `maintenance`, `nothing`. */
                    publish?: "operational" | "maintenance" | "nothing";
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AdminRetiredComponent"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/status/maintenance/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AdminMaintenanceReply"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/status/announcements/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AdminAnnouncementReply"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/status/targets/{name}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AdminTargetTestReply"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description One of `open`, `closed`; `open` by default. */
                    state?: "open" | "closed";
                    /** @description 1 to 500; `50` by default. */
                    limit?: number;
                    /** @description The `next` value of the previous page. */
                    cursor?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ReportPage"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/reports/{id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            /** @description At most 64 KiB. Unknown fields are ignored. */
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "action": "keep"
                     *     }
                     */
                    "application/json": components["schemas"]["ResolveReportRequest"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ResolvedReport"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/images/unhide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description At most 64 KiB. Unknown fields are ignored. */
            requestBody: {
                content: {
                    /**
                     * @example {
                     *       "name": "fox/fox-at-dusk.png"
                     *     }
                     */
                    "application/json": components["schemas"]["UnhideImageRequest"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ImageShown"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/images/duplicates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description Groups per page. 1 to 500; `50` by default. */
                    limit?: number;
                    /** @description The `next` of the previous page. */
                    cursor?: string;
                    /** @description Only the images with these bytes, even if there is only one; checking first can save an upload. */
                    md5?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DuplicatePage"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/images/set-aside": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description Objects per page. 1 to 500; `50` by default. */
                    limit?: number;
                    /** @description The `next` of the previous page. */
                    cursor?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SetAsidePage"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/s3/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description Name of the bucket to look up. */
                    bucketExists?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StoreStatus"] | components["schemas"]["BucketStatus"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/s3/upload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query: {
                    bucketName: string;
                    /** @description The whole key: kind and file name. */
                    objectName: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description The bytes of the image, with a length or chunked, at most `UPLOAD_MAX_BYTES`. Their Content-Type is stored with them. */
            requestBody: {
                content: {
                    "image/png": string;
                    "image/*": string;
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["UploadedObject"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/s3/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: {
            parameters: {
                query?: {
                    /** @description Required, in the query or the body. */
                    bucketName?: string;
                    /** @description The whole key. It wins over `etag`. */
                    objectName?: string;
                    /** @description ETag of exactly one object in the bucket. */
                    etag?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description At most 64 KiB. Unknown fields are ignored. */
            requestBody?: {
                content: {
                    /**
                     * @example {
                     *       "bucketName": "images",
                     *       "objectName": "fox/a.png",
                     *       "etag": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["DeleteImageRequest"];
                };
            };
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeletedObject"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/html": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/status.css": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/css": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/status.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StatusPage"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/status.atom": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/atom+xml": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/status/badge/{badge}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    /** @description Show the uptime over this many days. One of `7`, `30`, `90`. */
                    days?: "7" | "30" | "90";
                };
                header?: never;
                path: {
                    badge: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description OK */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "image/svg+xml": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Greeting: {
            /** @constant */
            status: 200;
            /** @example Menagerie is running. Its reference is at /docs */
            message: string;
        };
        MessageError: {
            message: string;
            stack: string;
        };
        StatusError: {
            status: number;
            message: string;
        };
        Health: {
            /** @constant */
            status: 200;
            /** @example OK */
            message: string;
            /** Format: date-time */
            timestamp: string;
            /** @example 4711.2 */
            uptimeSeconds: number;
            /** @example 0.05 */
            responseTimeMs: number;
        };
        DependencyChecks: {
            /**
             * @example up
             * @enum {string}
             */
            database: "up" | "down";
            /**
             * @example up
             * @enum {string}
             */
            objectStore: "up" | "degraded";
            /**
             * @example up
             * @enum {string}
             */
            redis?: "up" | "degraded";
            /**
             * @example up
             * @enum {string}
             */
            statusWorker?: "up" | "degraded";
        };
        Readiness: {
            /** @constant */
            status: 200;
            /** @enum {string} */
            message: "Ready";
            checks: components["schemas"]["DependencyChecks"];
        };
        NotReady: {
            /** @constant */
            status: 503;
            /** @enum {string} */
            message: "Database is not available" | "Starting" | "Draining";
            checks: components["schemas"]["DependencyChecks"];
        };
        Credentials: {
            /**
             * @description Case-insensitive; the spelling is kept
             * @example alice
             */
            username: string;
            /**
             * @description Any content; hashed as sent, never truncated or normalised
             * @example correct horse battery
             */
            password: string;
        };
        /**
         * @example user
         * @enum {string}
         */
        Role: "user" | "support" | "moderator" | "admin" | "owner";
        /** @description The short user form */
        User: {
            /**
             * @description UUIDv7 in lower case
             * @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3
             */
            id: string;
            /** @example alice */
            username: string;
            role: components["schemas"]["Role"];
            /** @example false */
            banned: boolean;
        };
        SignedInUser: {
            /** @constant */
            status: 200;
            user: components["schemas"]["User"];
        };
        AuthError: {
            error: string;
        };
        Done: {
            /** @constant */
            status: 200;
            /** @example Signed out */
            message: string;
        };
        CreateFirstOwnerRequest: {
            /** @example k7wq3hzt9mcx2fnb */
            code: string;
            /**
             * @description Case-insensitive; the spelling is kept
             * @example alice
             */
            username: string;
            /**
             * @description Any content; hashed as sent, never truncated or normalised
             * @example correct horse battery
             */
            password: string;
        };
        FirstOwner: {
            /** @constant */
            status: 201;
            /** @example User keeper has been created */
            message: string;
            user: components["schemas"]["User"];
        };
        Session: {
            user: components["schemas"]["User"];
            /**
             * @description Begins with `Bearer `; send it unchanged as the Authorization header
             * @example Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTlhMmY2ZSJ9.c2lnbmF0dXJl
             */
            accessToken: string;
        };
        TokenLifetime: {
            /**
             * Format: date-time
             * @example 2026-06-01T12:00:00.000Z
             */
            issuedAt: string;
            expiresAt: string | null;
        };
        /** @enum {string} */
        KeyScope: "images" | "upload" | "store" | "admin:read";
        /** @description Only if the caller sent an API key */
        KeyInUse: {
            /**
             * @description UUIDv7 in lower case
             * @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3
             */
            id: string;
            /** @example photo frame */
            name: string;
            /**
             * @example [
             *       "images"
             *     ]
             */
            scopes: components["schemas"]["KeyScope"][];
        };
        RateLimit: {
            /**
             * @description As in the names of the settings
             * @example global
             */
            scope: string;
            /** @example 1000 */
            limit: number;
            /** @example 987 */
            remaining: number;
            resetAt: string | null;
        };
        Me: {
            /** @constant */
            status: 200;
            user: components["schemas"]["User"];
            token: components["schemas"]["TokenLifetime"] | null;
            apiKey?: components["schemas"]["KeyInUse"];
            /** @description The limits of the caller, by address and by name; for the exempt user only those of login */
            limits: components["schemas"]["RateLimit"][];
        };
        ChangePasswordRequest: {
            /** @example correct horse battery */
            currentPassword: string;
            /** @example another horse, another battery */
            newPassword: string;
        };
        DeleteAccountRequest: {
            /** @example correct horse battery */
            password: string;
        };
        CreateKeyRequest: {
            /**
             * @description Helps you tell keys apart
             * @example photo frame
             */
            name: string;
            /**
             * @description What the key opens: `images` the routes under `/images`; `upload` uploads; `store` all of `/admin/s3`; `admin:read` the other GET routes under `/admin`, except `/admin/user/keys`. Never more than its owner may do
             * @example [
             *       "images"
             *     ]
             */
            scopes: components["schemas"]["KeyScope"][];
            /**
             * @description A duration such as `90s`, `15m`, `12h` or `30d`, a number of seconds, or `never`
             * @default 365d
             * @example 30d
             */
            expiresIn?: string | number;
            /**
             * @description Maximum requests of this key per minute; by default it has no limit of its own
             * @example 60
             */
            limitPerMinute?: number;
            /**
             * @description Your password; not needed within 10 minutes of signing in
             * @example correct horse battery
             */
            password?: string;
        };
        CreatedKey: {
            /** @constant */
            status: 201;
            /**
             * @description UUIDv7 in lower case
             * @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3
             */
            id: string;
            /** @example photo frame */
            name: string;
            /**
             * @example [
             *       "images"
             *     ]
             */
            scopes: components["schemas"]["KeyScope"][];
            limitPerMinute: number | null;
            /**
             * Format: date-time
             * @example 2026-06-01T12:00:00.000Z
             */
            createdAt: string;
            expiresAt: string | null;
            lastUsedAt: string | null;
            /**
             * @description Counted requests with this key
             * @example 42
             */
            requests: number;
            /**
             * @description Shown only here. Send it as `Authorization: Bearer <key>` or `X-API-Key: <key>`
             * @example mng_8Jx2kQvR4tLw9ZbN6cHy1GdPs5FmTa7E0Uo3Bf
             */
            key: string;
        };
        ApiKey: {
            /**
             * @description UUIDv7 in lower case
             * @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3
             */
            id: string;
            /** @example photo frame */
            name: string;
            /**
             * @example [
             *       "images"
             *     ]
             */
            scopes: components["schemas"]["KeyScope"][];
            limitPerMinute: number | null;
            /**
             * Format: date-time
             * @example 2026-06-01T12:00:00.000Z
             */
            createdAt: string;
            expiresAt: string | null;
            lastUsedAt: string | null;
            /**
             * @description Counted requests with this key
             * @example 42
             */
            requests: number;
        };
        KeyList: {
            /** @constant */
            status: 200;
            /** @description Oldest first */
            keys: components["schemas"]["ApiKey"][];
        };
        RotateKeyRequest: {
            /**
             * @default 0
             * @example 3600
             */
            graceSeconds?: number;
            /**
             * @description Your password; not needed within 10 minutes of signing in
             * @example correct horse battery
             */
            password?: string;
        };
        RotatedKey: {
            /** @constant */
            status: 200;
            /**
             * @description UUIDv7 in lower case
             * @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3
             */
            id: string;
            /** @example photo frame */
            name: string;
            /**
             * @example [
             *       "images"
             *     ]
             */
            scopes: components["schemas"]["KeyScope"][];
            limitPerMinute: number | null;
            /**
             * Format: date-time
             * @example 2026-06-01T12:00:00.000Z
             */
            createdAt: string;
            expiresAt: string | null;
            lastUsedAt: string | null;
            /**
             * @description Counted requests with this key
             * @example 42
             */
            requests: number;
            /**
             * @description Shown only here. Send it as `Authorization: Bearer <key>` or `X-API-Key: <key>`
             * @example mng_8Jx2kQvR4tLw9ZbN6cHy1GdPs5FmTa7E0Uo3Bf
             */
            key: string;
        };
        ConsoleSession: {
            /**
             * @description UUIDv7 in lower case
             * @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3
             */
            id: string;
            /**
             * Format: date-time
             * @example 2026-06-01T12:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description The sign-in, or later the minute of the last request
             * @example 2026-06-03T08:15:00.000Z
             */
            lastUsedAt: string;
            /**
             * @description Where the user signed in
             * @example 192.0.2.7
             */
            address: string;
            /** @example Firefox on Linux */
            browser: string;
            /**
             * @description Whether it sent this request
             * @example true
             */
            current: boolean;
        };
        ConsoleSessionList: {
            /** @constant */
            status: 200;
            /** @description Newest first */
            sessions: components["schemas"]["ConsoleSession"][];
        };
        EndSessionRequest: {
            /**
             * @description Your password; not needed within 10 minutes of signing in
             * @example correct horse battery
             */
            password?: string;
        };
        EmbedLinkTerms: {
            kind: components["schemas"]["ImageKind"];
            /**
             * @description A list, or names separated by commas; every image of these kinds is equally likely
             * @example [
             *       "fox",
             *       "bird"
             *     ]
             */
            kinds?: components["schemas"]["ImageKind"][] | string;
            /**
             * @description How long the link lives: a duration such as `12h` or `30d`, or a number of seconds
             * @default 365d
             * @example 30d
             */
            ttl?: string | number;
            /**
             * @description `no`: the link shows every image of a kind once before it repeats any
             * @default yes
             * @enum {string}
             */
            repeat?: "yes" | "no";
            /**
             * @description Only images of this orientation, as displayed; by default all
             * @enum {string}
             */
            orientation?: "landscape" | "portrait" | "square";
            /**
             * @description Your password; not needed within 10 minutes of signing in
             * @example correct horse battery
             */
            password?: string;
        } | {
            kind?: components["schemas"]["ImageKind"];
            /**
             * @description A list, or names separated by commas; every image of these kinds is equally likely
             * @example [
             *       "fox",
             *       "bird"
             *     ]
             */
            kinds: components["schemas"]["ImageKind"][] | string;
            /**
             * @description How long the link lives: a duration such as `12h` or `30d`, or a number of seconds
             * @default 365d
             * @example 30d
             */
            ttl?: string | number;
            /**
             * @description `no`: the link shows every image of a kind once before it repeats any
             * @default yes
             * @enum {string}
             */
            repeat?: "yes" | "no";
            /**
             * @description Only images of this orientation, as displayed; by default all
             * @enum {string}
             */
            orientation?: "landscape" | "portrait" | "square";
            /**
             * @description Your password; not needed within 10 minutes of signing in
             * @example correct horse battery
             */
            password?: string;
        };
        CreatedEmbedLink: {
            /** @constant */
            status: 201;
            /**
             * @description UUIDv7 in lower case
             * @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3
             */
            id: string;
            /**
             * @description Shows a new random image on each request, to anyone who has the URL
             * @example http://localhost:3000/e/AQGaL248QX0Cm15PimwhjX5jXpL2xvJ0bGVt0a1bW3Zk
             */
            url: string;
            kinds: string[];
            /**
             * @description `no`: every image once before any is repeated
             * @enum {string}
             */
            repeat: "yes" | "no";
            orientation: ("landscape" | "portrait" | "square") | null;
            /**
             * Format: date-time
             * @example 2026-06-01T12:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2027-06-01T12:00:00.000Z
             */
            expiresAt: string;
            lastUsedAt: string | null;
        };
        EmbedLink: {
            /**
             * @description UUIDv7 in lower case
             * @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3
             */
            id: string;
            /**
             * @description Shows a new random image on each request, to anyone who has the URL
             * @example http://localhost:3000/e/AQGaL248QX0Cm15PimwhjX5jXpL2xvJ0bGVt0a1bW3Zk
             */
            url: string;
            kinds: string[];
            /**
             * @description `no`: every image once before any is repeated
             * @enum {string}
             */
            repeat: "yes" | "no";
            orientation: ("landscape" | "portrait" | "square") | null;
            /**
             * Format: date-time
             * @example 2026-06-01T12:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2027-06-01T12:00:00.000Z
             */
            expiresAt: string;
            lastUsedAt: string | null;
        };
        EmbedLinkList: {
            /** @constant */
            status: 200;
            links: components["schemas"]["EmbedLink"][];
        };
        RevokedEmbedLink: {
            /** @constant */
            status: 200;
            /** @constant */
            message: "Embed link revoked";
        };
        KindSummary: {
            /** @example fox */
            kind: string;
            /**
             * @description Images
             * @example 4
             */
            count: number;
            /**
             * @description Total size
             * @example 30118
             */
            bytes: number;
            newest: string | null;
        };
        KindList: {
            /** @constant */
            status: 200;
            kinds: components["schemas"]["KindSummary"][];
        };
        ImageDescriptor: {
            /**
             * @description The object: kind and file name
             * @example fox/fox-at-dusk.png
             */
            name: string;
            /** @example 9b2cf535f27731c974343645a3985328 */
            etag: string;
            /**
             * @description In bytes
             * @example 7421
             */
            size: number;
            /** Format: date-time */
            lastModified: string;
            /**
             * @description Public URL of the image
             * @example http://localhost:3000/i/fox/fox-at-dusk.png
             */
            url: string;
            width?: number | null;
            height?: number | null;
            mime?: ("image/png" | "image/jpeg" | "image/gif" | "image/webp" | "image/avif") | null;
            animated?: boolean | null;
        };
        ImageList: {
            /** @constant */
            status: 200;
            images: components["schemas"]["ImageDescriptor"][];
        };
        ImagePage: {
            /** @constant */
            status: 200;
            images: components["schemas"]["ImageDescriptor"][];
            next: string | null;
        };
        ReportImageRequest: {
            /**
             * @description Kind and file name, as in the descriptor
             * @example fox/fox-at-dusk.png
             */
            name: string;
            /**
             * @description What is wrong with it; moderators can read it
             * @example Not a fox
             */
            reason: string;
        };
        ImageReported: {
            /** @constant */
            status: 201;
            /** @constant */
            message: "Image reported";
        };
        BanUserRequest: {
            /**
             * @description Wins if both are given
             * @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3
             */
            userId: string;
            /**
             * @description Case-insensitive
             * @example alice
             */
            username?: string;
            /**
             * @description Why the user is banned; administrators can read it
             * @example Spam
             */
            reason?: string;
            /**
             * Format: date-time
             * @description When the ban ends; by default never
             */
            until?: string;
        } | {
            /**
             * @description Wins if both are given
             * @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3
             */
            userId?: string;
            /**
             * @description Case-insensitive
             * @example alice
             */
            username: string;
            /**
             * @description Why the user is banned; administrators can read it
             * @example Spam
             */
            reason?: string;
            /**
             * Format: date-time
             * @description When the ban ends; by default never
             */
            until?: string;
        };
        UserChange: {
            /** @constant */
            status: 200;
            /** @example User alice has been banned */
            message: string;
            user: components["schemas"]["User"];
            /**
             * @description Only in the reply to a dry run
             * @constant
             */
            dryRun?: true;
        };
        UserIdentifier: {
            /**
             * @description Wins if both are given
             * @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3
             */
            userId: string;
            /**
             * @description Case-insensitive
             * @example alice
             */
            username?: string;
        } | {
            /**
             * @description Wins if both are given
             * @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3
             */
            userId?: string;
            /**
             * @description Case-insensitive
             * @example alice
             */
            username: string;
        };
        ChangeRoleRequest: {
            /**
             * @description Wins if both are given
             * @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3
             */
            userId: string;
            /**
             * @description Case-insensitive
             * @example alice
             */
            username?: string;
            role: components["schemas"]["Role"];
        } | {
            /**
             * @description Wins if both are given
             * @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3
             */
            userId?: string;
            /**
             * @description Case-insensitive
             * @example alice
             */
            username: string;
            role: components["schemas"]["Role"];
        };
        RenameUserRequest: {
            /**
             * @description Wins if both are given
             * @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3
             */
            userId: string;
            /**
             * @description Case-insensitive
             * @example alice
             */
            username?: string;
            /** @example alicia */
            newUsername: string;
        } | {
            /**
             * @description Wins if both are given
             * @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3
             */
            userId?: string;
            /**
             * @description Case-insensitive
             * @example alice
             */
            username: string;
            /** @example alicia */
            newUsername: string;
        };
        ResetPasswordRequest: {
            /**
             * @description Wins if both are given
             * @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3
             */
            userId: string;
            /**
             * @description Case-insensitive
             * @example alice
             */
            username?: string;
            /**
             * @description Your password; not needed within 10 minutes of signing in
             * @example correct horse battery
             */
            password?: string;
        } | {
            /**
             * @description Wins if both are given
             * @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3
             */
            userId?: string;
            /**
             * @description Case-insensitive
             * @example alice
             */
            username: string;
            /**
             * @description Your password; not needed within 10 minutes of signing in
             * @example correct horse battery
             */
            password?: string;
        };
        PasswordReset: {
            /** @constant */
            status: 200;
            /** @example Password of alice has been reset */
            message: string;
            user: components["schemas"]["User"];
            /**
             * @description Only in the reply to a dry run
             * @constant
             */
            dryRun?: true;
            /**
             * @description Absent from the reply to a dry run
             * @example k7wq3hzt9mcx2fnb5rvj8dpa
             */
            password?: string;
        };
        CreateUserRequest: {
            /**
             * @description Case-insensitive; the spelling is kept
             * @example alice
             */
            username: string;
            role: components["schemas"]["Role"];
            /**
             * @description Generated by default
             * @example correct horse battery
             */
            password?: string;
        };
        CreatedUser: {
            /** @constant */
            status: 200;
            /** @example User alice has been created */
            message: string;
            user: components["schemas"]["User"];
            /**
             * @description Only in the reply to a dry run
             * @constant
             */
            dryRun?: true;
            /**
             * @description Only if it was generated
             * @example k7wq3hzt9mcx2fnb5rvj8dpa
             */
            password?: string;
        };
        Ban: {
            reason: string | null;
            /** Format: date-time */
            since: string;
            until: string | null;
            by: string | null;
        };
        BanOfUser: {
            /** @constant */
            status: 200;
            ban: components["schemas"]["Ban"] | null;
        };
        /** @description The full user form */
        FullUser: {
            /**
             * @description UUIDv7 in lower case
             * @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3
             */
            id: string;
            /** @example alice */
            username: string;
            role: components["schemas"]["Role"];
            /** @example false */
            banned: boolean;
            /**
             * Format: date-time
             * @example 2026-01-15T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description The last change of name, role, ban or password
             */
            updatedAt: string;
            /** @constant */
            collection: "users";
        };
        /** @description Counted requests of a user */
        RequestCounts: {
            /**
             * @description Id of the record
             * @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3
             */
            id: string;
            /**
             * @description Requests under /auth
             * @example 3
             */
            auth: number;
            /**
             * @description Requests under /admin
             * @example 0
             */
            admin: number;
            /**
             * @description Requests under /images
             * @example 39
             */
            images: number;
            /**
             * @description auth + admin + images
             * @example 42
             */
            total: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** @constant */
            collection: "requests";
        };
        FoundUser: {
            /** @constant */
            status: 200;
            user: components["schemas"]["FullUser"];
            requests: components["schemas"]["RequestCounts"] | null;
        };
        UserEntry: {
            user: components["schemas"]["FullUser"];
            requests: components["schemas"]["RequestCounts"] | null;
        };
        UserList: {
            /** @constant */
            status: 200;
            /** @description Keyed by username */
            users: {
                [key: string]: components["schemas"]["UserEntry"];
            };
            next?: string | null;
        };
        DashboardSummary: {
            /**
             * @description All accounts
             * @example 120
             */
            totalUsers: number;
            /**
             * @description Currently banned
             * @example 2
             */
            bannedUsers: number;
            /**
             * @description Counted requests of all users
             * @example 4096
             */
            totalRequests: number;
            /**
             * @description Of these, under /admin
             * @example 96
             */
            adminRequests: number;
            /**
             * @description Of these, under /auth
             * @example 800
             */
            authRequests: number;
            /**
             * @description Of these, under /images
             * @example 3200
             */
            imageRequests: number;
        };
        DashboardUser: {
            /**
             * @description UUIDv7 in lower case
             * @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3
             */
            id: string;
            /** @example alice */
            username: string;
            role: components["schemas"]["Role"];
            /** @example false */
            banned: boolean;
            /**
             * Format: date-time
             * @example 2026-01-15T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description The last change of name, role, ban or password
             */
            updatedAt: string;
            /** @constant */
            collection: "users";
            requestsId: string | null;
            /**
             * @description Requests under /auth
             * @example 3
             */
            auth: number;
            /**
             * @description Requests under /admin
             * @example 0
             */
            admin: number;
            /**
             * @description Requests under /images
             * @example 39
             */
            images: number;
            /**
             * @description auth + admin + images
             * @example 42
             */
            total: number;
            requestsCreatedAt: string | null;
            requestsUpdatedAt: string | null;
            requestsCollection: "requests" | null;
        };
        Dashboard: {
            /** @constant */
            status: 200;
            summary: components["schemas"]["DashboardSummary"];
            users: components["schemas"]["DashboardUser"][];
            next?: string | null;
        };
        RoleCounts: {
            /**
             * @description Accounts with this role
             * @example 1
             */
            user: number;
            /**
             * @description Accounts with this role
             * @example 1
             */
            support: number;
            /**
             * @description Accounts with this role
             * @example 1
             */
            moderator: number;
            /**
             * @description Accounts with this role
             * @example 1
             */
            admin: number;
            /**
             * @description Accounts with this role
             * @example 1
             */
            owner: number;
        };
        UsersByRole: {
            /** @constant */
            status: 200;
            roles: components["schemas"]["RoleCounts"];
        };
        DailyRequests: {
            /** @example 2026-01-15 */
            day: string;
            /**
             * @description Requests under /auth
             * @example 3
             */
            auth: number;
            /**
             * @description Requests under /admin
             * @example 0
             */
            admin: number;
            /**
             * @description Requests under /images
             * @example 39
             */
            images: number;
            /**
             * @description auth + admin + images
             * @example 42
             */
            total: number;
            /**
             * @description How many of these were made with API keys; absent if none
             * @example 12
             */
            keys?: number;
        };
        Usage: {
            /** @constant */
            status: 200;
            /** @description By day, in UTC; days without a counted request are omitted */
            usage: components["schemas"]["DailyRequests"][];
        };
        AuditEvent: {
            /**
             * @description UUIDv7
             * @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3
             */
            id: string;
            /** Format: date-time */
            at: string;
            /**
             * @description What was done or attempted
             * @example role
             */
            action: string;
            /**
             * @description `success`; or `refused: ` or `failed: ` with the message of the response
             * @example success
             */
            outcome: string;
            actor: string | null;
            target: string | null;
            address: string | null;
            requestId: string | null;
            /**
             * @description Number of attempts: repetitions within about a second are one event
             * @example 1
             */
            count: number;
            before: {
                [key: string]: unknown;
            } | null;
            after: {
                [key: string]: unknown;
            } | null;
        };
        AuditPage: {
            /** @constant */
            status: 200;
            /** @description Newest first */
            events: components["schemas"]["AuditEvent"][];
            next: string | null;
        };
        UploadRules: {
            /**
             * @description `UPLOAD_MAX_BYTES`
             * @example 20971520
             */
            maxBytes: number;
            /**
             * @description `CHOOSE_IMAGES_ONLY`
             * @example false
             */
            imagesOnly: boolean;
            /**
             * @description `UPLOAD_CHECK_TYPE`
             * @example false
             */
            checkType: boolean;
            /**
             * @description `UPLOAD_STRIP_METADATA`
             * @example false
             */
            stripMetadata: boolean;
        };
        /**
         * @example global
         * @enum {string}
         */
        LimitScope: "global" | "auth" | "register" | "login_address" | "login_name" | "embed_link" | "embed_address" | "report" | "session" | "key";
        LimitRefusals: {
            scope: components["schemas"]["LimitScope"];
            max: number | null;
            /** @example 120 */
            windowSeconds: number;
            /**
             * @description Responses with status 429 since the start
             * @example 0
             */
            refused: number;
        };
        Service: {
            /** @constant */
            status: 200;
            /** @example 0.3.0 */
            version: string;
            /**
             * @description The instance that replied, whose `uptimeSeconds` and `refused` these are
             * @example api-web1-3000
             */
            instance: string;
            /** @example 4711.2 */
            uptimeSeconds: number;
            /**
             * @description The `bucketName` of images: `S3_BUCKET`
             * @example images
             */
            bucket: string;
            kinds: string[];
            uploads: components["schemas"]["UploadRules"];
            /**
             * @description `REGISTRATION`
             * @example open
             * @enum {string}
             */
            registration: "open" | "closed";
            /**
             * @description `PASSWORD_MIN_LENGTH`
             * @example 8
             */
            passwordMinLength: number;
            /**
             * @description Whether `STATUS_WORKER_URL` is set
             * @example true
             */
            statusWorker: boolean;
            /**
             * @description Whether `/status` is served: `STATUS_PAGE`
             * @example true
             */
            statusPage: boolean;
            limits: components["schemas"]["LimitRefusals"][];
        };
        /**
         * @example operational
         * @enum {string}
         */
        ComponentStatus: "operational" | "degraded" | "partial" | "outage" | "maintenance";
        ComponentInstance: {
            /** @example web1-3000 */
            instance: string;
            status: components["schemas"]["ComponentStatus"];
            /**
             * Format: date-time
             * @example 2026-06-01T12:00:00.000Z
             */
            lastHeartbeatAt: string;
        };
        StatusPush: {
            /**
             * Format: date-time
             * @example 2026-06-01T12:00:00.000Z
             */
            at: string;
            status: components["schemas"]["ComponentStatus"];
            /**
             * @description `uncertain`: it may have arrived
             * @example accepted
             * @enum {string}
             */
            outcome: "accepted" | "failed" | "uncertain";
            reason: string | null;
            /**
             * @description Whether it reminded an alert channel of an outage
             * @example false
             */
            isReminder: boolean;
        };
        TargetState: {
            /** @example default */
            target: string;
            /**
             * @description Whether the component is published there
             * @example true
             */
            isMapped: boolean;
            publishedStatus: components["schemas"]["ComponentStatus"] | null;
            /**
             * @description `waiting`: the last push failed; `unknown`: it may have been accepted
             * @example idle
             * @enum {string}
             */
            push: "idle" | "sending" | "waiting" | "unknown";
            /** @description Newest first */
            lastPushes: components["schemas"]["StatusPush"][];
        };
        Component: {
            /** @example api */
            componentId: string;
            /**
             * Format: date-time
             * @description By the worker's clock
             * @example 2026-06-01T12:00:00.000Z
             */
            lastHeartbeatAt: string;
            /**
             * @description From `lastHeartbeatAt` to now
             * @example 12
             */
            secondsSinceLastHeartbeat: number;
            lastReportedStatus: components["schemas"]["ComponentStatus"];
            activeIncidentId: string | null;
            message: string | null;
            maintenanceId: string | null;
            /** @description One for each sender that names itself */
            instances: components["schemas"]["ComponentInstance"][];
            /**
             * @description `late`: past its timeout, within its grace period
             * @example on time
             * @enum {string}
             */
            heartbeat: "on time" | "late" | "missed";
            /** @example 180 */
            timeoutSeconds: number;
            /** @example 0 */
            graceSeconds: number;
            /**
             * @description `STATUS_TIMEOUTS`, `expectWithinSeconds` of a heartbeat, or the default timeout
             * @example default
             * @enum {string}
             */
            timeoutFrom: "setting" | "heartbeat" | "default";
            /**
             * Format: date-time
             * @description When an incident opens, or opened
             * @example 2026-06-01T12:00:00.000Z
             */
            deadlineAt: string;
            /** @description The status to publish */
            wantedStatus: components["schemas"]["ComponentStatus"];
            targets: components["schemas"]["TargetState"][];
        };
        NeverHeard: {
            /** @example default */
            target: string;
            components: string[];
        };
        AdminComponentList: {
            /** @constant */
            status: 200;
            components: components["schemas"]["Component"][];
            /** @description Components that a target maps but that have sent no heartbeat */
            neverHeard: components["schemas"]["NeverHeard"][];
        };
        Incident: {
            /** @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3 */
            id: string;
            /** @example api */
            componentId: string;
            /**
             * Format: date-time
             * @description The missed deadline
             * @example 2026-06-01T12:00:00.000Z
             */
            startedAt: string;
            /**
             * Format: date-time
             * @example 2026-06-01T12:00:00.000Z
             */
            detectedAt: string;
            resolvedAt: string | null;
            lastReportedStatus: components["schemas"]["ComponentStatus"];
            message: string | null;
        };
        AdminIncidentPage: {
            /** @constant */
            status: 200;
            /** @description Newest first */
            incidents: components["schemas"]["Incident"][];
            next: string | null;
        };
        Maintenance: {
            /** @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e4 */
            id: string;
            components: string[];
            /**
             * Format: date-time
             * @example 2026-06-01T12:00:00.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @example 2026-06-01T14:00:00.000Z
             */
            until: string;
            text: string | null;
            endedAt: string | null;
            /**
             * @example active
             * @enum {string}
             */
            state: "planned" | "active" | "over";
        };
        AdminMaintenanceList: {
            /** @constant */
            status: 200;
            maintenance: components["schemas"]["Maintenance"][];
            next: string | null;
        };
        Announcement: {
            /** @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e4 */
            id: string;
            /** @example The photographs of the zoo arrive on Monday */
            text: string;
            /**
             * Format: date-time
             * @example 2026-06-01T12:00:00.000Z
             */
            from: string;
            until: string | null;
            endedAt: string | null;
            /**
             * @example active
             * @enum {string}
             */
            state: "planned" | "active" | "over";
        };
        AdminAnnouncementList: {
            /** @constant */
            status: 200;
            announcements: components["schemas"]["Announcement"][];
        };
        TargetPush: {
            /** @example api */
            componentId: string;
            /**
             * Format: date-time
             * @example 2026-06-01T12:00:00.000Z
             */
            at: string;
            status: components["schemas"]["ComponentStatus"];
            /**
             * @description `uncertain`: it may have arrived
             * @example accepted
             * @enum {string}
             */
            outcome: "accepted" | "failed" | "uncertain";
            reason: string | null;
            /**
             * @description Whether it reminded an alert channel of an outage
             * @example false
             */
            isReminder: boolean;
        };
        TargetTest: {
            /**
             * Format: date-time
             * @example 2026-06-01T12:00:00.000Z
             */
            at: string;
            /**
             * @description `uncertain`: it may have arrived; `sending`: no response yet
             * @example accepted
             * @enum {string}
             */
            outcome: "accepted" | "failed" | "uncertain" | "sending";
            reason: string | null;
        };
        Target: {
            /** @example default */
            target: string;
            /** @example native */
            kind: string;
            /** @example status.example.org */
            host: string;
            /**
             * @description Notified only of outages and recoveries
             * @example false
             */
            isAlert: boolean;
            reminderSeconds: number | null;
            /** @description The last 20, newest first; empty when the worker becomes the leader */
            lastPushes: components["schemas"]["TargetPush"][];
            lastTest: components["schemas"]["TargetTest"] | null;
        };
        AdminTargetList: {
            /** @constant */
            status: 200;
            targets: components["schemas"]["Target"][];
        };
        WorkerConfig: {
            statusApiBaseUrl: string | null;
            tokenPreview: string | null;
            kind: string | null;
            allowList: string[];
            /** @example 180 */
            heartbeatTimeoutSeconds: number;
            /** @example 14400 */
            maintenanceTimeoutSeconds: number;
            /** @example 10 */
            checkIntervalSeconds: number;
            /** @example true */
            publishSilence: boolean;
            /** @example 1000 */
            maxComponents: number;
            /** @example 200 */
            pushWaitMs: number;
            /** @example 5000 */
            pushTimeoutMs: number;
        };
        StatusApiProbe: {
            url: string | null;
            /** @example true */
            reached: boolean;
            httpStatus: number | null;
            /** @example 12.3 */
            durationMs: number;
            contentType: string | null;
            body: string | null;
            error: string | null;
        };
        AdminDiagnostics: {
            /** @constant */
            status: 200;
            config: components["schemas"]["WorkerConfig"];
            statusApi: components["schemas"]["StatusApiProbe"];
        };
        AdminRetiredComponent: {
            /** @constant */
            status: 200;
            /** @example api */
            componentId: string;
        };
        AnnounceStatusMaintenanceRequest: {
            /**
             * @example [
             *       "backup",
             *       "database"
             *     ]
             */
            components: string[];
            /**
             * @description Now by default
             * @example 2026-06-01T12:00:00Z
             */
            from?: string;
            /**
             * @description At most 31 days after `from`
             * @example 2026-06-01T12:00:00Z
             */
            until: string;
            /** @example Moving to the new disks */
            text?: string;
        };
        AdminNewMaintenanceReply: {
            /** @constant */
            status: 201;
            maintenance: components["schemas"]["Maintenance"];
        };
        AdminMaintenanceReply: {
            /** @constant */
            status: 200;
            maintenance: components["schemas"]["Maintenance"];
        };
        AnnounceOnStatusPageRequest: {
            /** @example The photographs of the zoo arrive on Monday */
            text: string;
            /**
             * @description Now by default
             * @example 2026-06-01T12:00:00Z
             */
            from?: string;
            /**
             * @description By default it has no end
             * @example 2026-06-01T12:00:00Z
             */
            until?: string;
        };
        AdminNewAnnouncementReply: {
            /** @constant */
            status: 201;
            announcement: components["schemas"]["Announcement"];
        };
        AdminAnnouncementReply: {
            /** @constant */
            status: 200;
            announcement: components["schemas"]["Announcement"];
        };
        AdminTargetTestReply: {
            /** @constant */
            status: 200;
            /** @example default */
            target: string;
            test: components["schemas"]["TargetTest"];
        };
        /**
         * @example open
         * @enum {string}
         */
        ReportState: "open" | "closed";
        ReportReason: {
            /**
             * @description Id of the user who reported it
             * @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3
             */
            userId: string;
            /** @example alice */
            username: string;
            /** @example Not a fox */
            reason: string;
            /** Format: date-time */
            at: string;
        };
        /** @enum {string} */
        ReportAction: "keep" | "hide" | "delete";
        /** @description `image` is null if the image is deleted or hidden */
        Report: {
            /**
             * @description Id of the entry, which combines all reports of an image until they are resolved
             * @example 019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3
             */
            id: string;
            /** @example fox/fox-at-dusk.png */
            name: string;
            /**
             * @description ETag of the image when it was first reported; a different one in `image` means that it has been replaced since
             * @example 9b2cf535f27731c974343645a3985328
             */
            etag: string;
            image: components["schemas"]["ImageDescriptor"] | null;
            /**
             * @description Whether the image is hidden now
             * @example false
             */
            hidden: boolean;
            state: components["schemas"]["ReportState"];
            /**
             * @description Users who reported it
             * @example 1
             */
            count: number;
            /** @description The newest ten, newest first; those of deleted users are removed */
            reasons: components["schemas"]["ReportReason"][];
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it was last reported
             */
            updatedAt: string;
            action: components["schemas"]["ReportAction"] | null;
            resolvedAt: string | null;
            resolvedBy: string | null;
        };
        ReportPage: {
            /** @constant */
            status: 200;
            reports: components["schemas"]["Report"][];
            next: string | null;
        };
        ResolveReportRequest: {
            action: components["schemas"]["ReportAction"];
        };
        ResolvedReport: {
            /** @constant */
            status: 200;
            /** @example Image fox/fox-at-dusk.png has been kept */
            message: string;
            report: components["schemas"]["Report"];
        };
        UnhideImageRequest: {
            /**
             * @description Kind and file name, as in the descriptor
             * @example fox/fox-at-dusk.png
             */
            name: string;
        };
        ImageShown: {
            /** @constant */
            status: 200;
            /** @example Image fox/fox-at-dusk.png is no longer hidden */
            message: string;
        };
        Duplicate: {
            /**
             * @description The MD5 of their bytes
             * @example 9b2cf535f27731c974343645a3985328
             */
            etag: string;
            /**
             * @description Size of each, in bytes
             * @example 7421
             */
            size: number;
            /**
             * @description Images with these bytes; 1 only with `md5`
             * @example 2
             */
            count: number;
            /** @description Sorted by name; at most 100 */
            images: components["schemas"]["ImageDescriptor"][];
        };
        DuplicatePage: {
            /** @constant */
            status: 200;
            duplicates: components["schemas"]["Duplicate"][];
            next: string | null;
        };
        /** @enum {string} */
        ImageFault: "bytes" | "type";
        SetAsideObject: {
            image: components["schemas"]["ImageDescriptor"];
            /** @description `bytes`: the first bytes are not those of an image. `type`: the stored type is not `image/*` */
            fault: components["schemas"]["ImageFault"];
        };
        SetAsidePage: {
            /** @constant */
            status: 200;
            /**
             * @description `CHOOSE_IMAGES_ONLY`; if false, nothing is set aside
             * @example true
             */
            imagesOnly: boolean;
            /**
             * @description All objects that are set aside
             * @example 1
             */
            count: number;
            /** @description Sorted by name */
            objects: components["schemas"]["SetAsideObject"][];
            next: string | null;
        };
        StoreStatus: {
            /** @constant */
            status: 200;
            /** @constant */
            message: "Object store is reachable";
        };
        BucketStatus: {
            /** @constant */
            status: 200;
            bucketExists: boolean;
        };
        UploadedObject: {
            /** @constant */
            status: 200;
            /** @constant */
            message: "Object uploaded";
            /** @example images */
            bucketName: string;
            /** @example fox/a.png */
            objectName: string;
            /** @example 9b2cf535f27731c974343645a3985328 */
            etag: string;
            versionId: string | null;
        };
        DeleteImageRequest: {
            /**
             * @description Required, in the query or the body
             * @example images
             */
            bucketName?: string;
            /**
             * @description The whole key. It wins over `etag`
             * @example fox/a.png
             */
            objectName?: string;
            /** @description ETag of exactly one object in the bucket */
            etag?: string;
        };
        DeletedObject: {
            /** @constant */
            status: 200;
            /** @constant */
            message: "Object deleted";
            /** @example images */
            bucketName: string;
            /**
             * @description Its name, or `object with etag` and the ETag
             * @example fox/a.png
             */
            object: string;
        };
        UptimeOfDays: {
            days7: number | null;
            days30: number | null;
            days90: number | null;
        };
        UptimeOfDay: {
            /** @example 2026-06-01 */
            day: string;
            uptimePercent: number | null;
        };
        PublicComponent: {
            /** @example api */
            id: string;
            /** @example Website */
            label: string;
            group: string | null;
            /**
             * @example operational
             * @enum {string}
             */
            state: "outage" | "partial" | "degraded" | "unknown" | "maintenance" | "operational";
            since: string | null;
            uptimePercent: components["schemas"]["UptimeOfDays"];
            /** @description The last 90 days in UTC, oldest first; null if nothing is known about that day */
            days: components["schemas"]["UptimeOfDay"][];
        };
        PublicIncident: {
            /** @example api */
            component: string;
            /**
             * @description Silence is an outage
             * @example outage
             * @enum {string}
             */
            status: "outage" | "partial" | "degraded";
            /**
             * Format: date-time
             * @example 2026-06-01T12:00:00.000Z
             */
            startedAt: string;
            /**
             * Format: date-time
             * @description Later than its start if it began with silence
             * @example 2026-06-01T12:00:00.000Z
             */
            detectedAt: string;
            resolvedAt: string | null;
        };
        PublicMaintenance: {
            components: string[];
            /**
             * Format: date-time
             * @example 2026-06-01T12:00:00.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @example 2026-06-01T12:00:00.000Z
             */
            until: string;
            text: string | null;
            /**
             * @example active
             * @enum {string}
             */
            state: "planned" | "active";
            announcedAt: string | null;
        };
        PublicAnnouncement: {
            /** @example The photographs of the zoo arrive on Monday */
            text: string;
            /**
             * Format: date-time
             * @example 2026-06-01T12:00:00.000Z
             */
            from: string;
            until: string | null;
            /**
             * @example active
             * @enum {string}
             */
            state: "active" | "over";
            announcedAt: string | null;
        };
        StatusPage: {
            /**
             * @description The worst state of all components
             * @example operational
             * @enum {string}
             */
            state: "outage" | "partial" | "degraded" | "unknown" | "maintenance" | "operational";
            unknownSince: string | null;
            /**
             * Format: date-time
             * @description When the status worker was queried
             * @example 2026-06-01T12:00:00.000Z
             */
            at: string;
            components: components["schemas"]["PublicComponent"][];
            /** @description Each period of an outage, a partial outage or a degradation, reported or silent: all that last, the worst first, and the newest 50 that ended in the last 90 days */
            incidents: components["schemas"]["PublicIncident"][];
            maintenance: components["schemas"]["PublicMaintenance"][];
            announcements: components["schemas"]["PublicAnnouncement"][];
        };
        /** @enum {string} */
        ImageKind: "fox" | "bird" | "shibe" | "weiner-dog" | "slap" | "hug" | "kiss" | "smug" | "pat" | (string & {});
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
