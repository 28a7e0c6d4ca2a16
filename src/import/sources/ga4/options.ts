/** What an import from Google Analytics is told. */
export interface Ga4Options {
  files: readonly string[];
  /** Names of events that are left out. */
  drop: ReadonlySet<string>;
  /** Rows without any id become events of nobody, instead of rejects. */
  anonymous: boolean;
}
