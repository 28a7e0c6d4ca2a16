interface Way {
  key: string;
  label: string;
  /** Variables that hold what is secret, or tells where a bucket is. */
  needs: readonly string[];
  /** What follows the source. */
  words: string;
}

/** A product that a history can come from, with the ways in which it comes. */
export interface Source {
  key: string;
  label: string;
  ways: readonly Way[];
}

const BUCKET: Way = {
  key: "bucket",
  label: "A bucket",
  needs: ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"],
  words: "s3://BUCKET/PREFIX",
};
const files = (words: string, label = "Files"): Way => ({ key: "files", label, needs: [], words });
const api = (needs: readonly string[], words: string): Way => ({ key: "api", label: "Its API", needs, words });

export const SOURCES: readonly Source[] = [
  {
    key: "posthog",
    label: "PostHog",
    ways: [api(["POSTHOG_API_KEY"], "--from-cloud --posthog-project ID"), files("FILES OR FOLDERS"), BUCKET],
  },
  {
    key: "mixpanel",
    label: "Mixpanel",
    ways: [
      api(["MIXPANEL_SECRET"], "--mixpanel-project ID --account NAME --from 2024-01-01 --to 2024-12-31"),
      files("FILES OR FOLDERS"),
      BUCKET,
    ],
  },
  {
    key: "amplitude",
    label: "Amplitude",
    ways: [
      api(["AMPLITUDE_API_KEY", "AMPLITUDE_SECRET_KEY"], "--from 2024-01-01 --to 2024-12-31"),
      files("export.zip"),
      BUCKET,
    ],
  },
  { key: "segment", label: "Segment", ways: [BUCKET, files("segment-logs/")] },
  { key: "ga4", label: "Google Analytics 4", ways: [files("FILES OR FOLDERS"), BUCKET] },
  { key: "umami", label: "Umami", ways: [files("website_event.csv event_data.csv session_data.csv")] },
  { key: "file", label: "CSV, JSON lines, Parquet", ways: [files("FILES OR FOLDERS --map map.json"), BUCKET] },
  { key: "weir", label: "A folder of weir export", ways: [files("FOLDER", "Folder")] },
];

const SHORT: Readonly<Record<string, string>> = { file: "files", weir: "a folder" };

/** What a source is called in a line: "PostHog", "files". */
export const sourceName = (key: string): string =>
  SHORT[key] ?? SOURCES.find((source) => source.key === key)?.label ?? key;

interface Wish {
  source: Source;
  way: Way;
  /** The address of Weir. */
  host: string;
  projectId: number;
  /** Nothing is sent. */
  isDryRun: boolean;
}

/** What is typed into a terminal, for any machine that has `weir`. */
export function commandOf({ source, way, host, projectId, isDryRun }: Wish): string {
  const needs = isDryRun ? way.needs : ["WEIR_API_KEY", ...way.needs];
  const where = isDryRun ? "--dry-run" : `--project ${projectId} --url ${host}`;
  const inspect = source.key === "file" && way.key === "files" ? ["weir import inspect FILE > map.json"] : [];
  return [
    ...needs.map((name) => `export ${name}=…`),
    ...inspect,
    `weir import ${source.key} ${way.words} \\\n  ${where}`,
  ].join("\n");
}

/** What a key for an import needs; the second half where insights, dashboards and the like come with it. */
export const IMPORT_SCOPES = [
  ...["batch_import:write", "project:write", "query:read", "person:write"],
  ...["insight:write", "dashboard:write", "cohort:write", "action:write", "group:write"],
  ...["event_definition:write", "property_definition:write"],
] as const;
