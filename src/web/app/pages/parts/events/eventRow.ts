/** An event as a list shows it. */
export interface EventRow {
  uuid: string;
  event: string;
  /** ISO 8601. */
  at: string;
  distinctId: string;
  /** The page or the screen on which it was; null: it says none. */
  place: string | null;
  /** Of what was clicked; null: nothing was, or it has no words. */
  clicked: string | null;
}
