import { may, mayBeyond, seesSubjects } from "../session/rights.ts";

/** A page of the settings. */
interface SettingsPage {
  label: string;
  /** Below the address of the project. */
  path: string;
  /** Further words that people look for it by. */
  words: string;
}

/** The pages of the settings that the user may see. */
export function settingsPages(): readonly SettingsPage[] {
  const seesLevels = may("access_control:read") && seesSubjects();
  const all: readonly [boolean, SettingsPage][] = [
    [true, { label: "General", path: "settings", words: "options preferences configuration" }],
    [
      seesLevels || mayBeyond("organization:read"),
      { label: "Access", path: "access", words: "roles levels rights permissions" },
    ],
    [
      may("batch_import:read"),
      { label: "Imports", path: "imports", words: "history migrate upload csv mixpanel amplitude segment umami ga4" },
    ],
    [
      may("batch_export:read"),
      { label: "Exports", path: "exports", words: "batch backup takeout bucket s3 postgres warehouse parquet" },
    ],
    [may("activity_log:read"), { label: "Activity", path: "activity-logs", words: "audit log changes who" }],
  ];
  return all.flatMap(([isOpen, page]) => (isOpen ? [page] : []));
}
