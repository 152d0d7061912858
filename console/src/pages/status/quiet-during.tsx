/** What the dialogs say of a maintenance before it is planned. */
export const QuietDuring = () => (
  <p className="note">Until it ends, missed heartbeats of its components open no incident, and no alert is sent.</p>
)
