/* What permissions.ts forbids, in words. The console shows them before the click. */

export const actRefusals = {
  selfBan: { status: 400, message: 'You cannot ban yourself' },
  cannotBan: { status: 403, message: 'You do not have permission to ban this user' },
  selfUnban: { status: 400, message: 'You cannot unban yourself' },
  cannotUnban: { status: 403, message: 'You do not have permission to unban this user' },
  ownRole: { status: 400, message: 'You cannot change your own role' },
  cannotChangeRole: { status: 403, message: "You do not have permission to change this user's role" },
  ownUsername: { status: 400, message: 'You cannot change your own username' },
  cannotRename: { status: 403, message: "You do not have permission to change this user's username" },
  selfRevoke: { status: 400, message: 'You cannot sign yourself out here; use /auth/logout' },
  cannotRevoke: { status: 403, message: 'You do not have permission to sign this user out' },
  selfReset: { status: 400, message: 'You cannot reset your own password here; use /auth/password' },
  cannotReset: { status: 403, message: 'You do not have permission to reset the password of this user' },
  selfRevokeKey: { status: 400, message: 'You cannot revoke your own API key here; use /auth/keys' },
  cannotRevokeKey: { status: 403, message: 'You do not have permission to revoke API keys of this user' },
  selfEndSession: { status: 400, message: 'You cannot end your own session here; use /auth/sessions' },
  cannotEndSession: { status: 403, message: 'You do not have permission to end sessions of this user' },
  selfRevokeLink: { status: 400, message: 'You cannot revoke your own embed link here; use /auth/embed' },
  cannotRevokeLink: { status: 403, message: 'You do not have permission to revoke embed links of this user' },
  selfDelete: { status: 400, message: 'You cannot delete yourself here; use /auth/delete' },
  cannotDelete: { status: 403, message: 'You do not have permission to delete this user' },
} as const
