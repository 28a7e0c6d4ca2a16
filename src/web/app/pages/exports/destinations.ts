import type { BatchExport } from "../../api/schema.ts";

export type Values = Readonly<Record<string, string | boolean>>;

/** A setting of a destination, by its name in the API. */
export interface Field {
  name: string;
  label: string;
  kind: "text" | "number" | "flag" | "choice";
  /** Never shown again: left empty it stays as it is. */
  isSecret?: boolean;
  /** Not to be read over a shoulder. */
  isHidden?: boolean;
  isRequired?: boolean;
  initial?: string;
  placeholder?: string;
  hint?: string;
  choices?(values: Values): readonly { value: string; label: string }[];
}

export type Model = "events" | "persons" | "sessions" | "hogql";

/** Where an export goes. */
export interface Destination {
  type: string;
  label: string;
  models: readonly Model[];
  fields: readonly Field[];
}

const ALL: readonly Model[] = ["events", "persons", "sessions", "hogql"];

const same = (...names: string[]) => names.map((name) => ({ value: name, label: name }));
const PACKED = { Parquet: ["zstd", "lz4", "snappy", "gzip", "brotli"], JSONLines: ["gzip", "brotli"] } as const;

const FILES: readonly Field[] = [
  {
    name: "file_format",
    label: "Format",
    kind: "choice",
    initial: "Parquet",
    choices: () => [
      { value: "Parquet", label: "Parquet" },
      { value: "JSONLines", label: "Lines of JSON" },
    ],
  },
  {
    name: "compression",
    label: "Packed with",
    kind: "choice",
    initial: "zstd",
    choices: ({ file_format: format }) => [
      ...same(...PACKED[format === "JSONLines" ? "JSONLines" : "Parquet"]),
      { value: "", label: "nothing" },
    ],
  },
  { name: "max_file_size_mb", label: "Largest file, in MB", kind: "number", hint: "Empty: as large as it gets." },
];

const KEYS: readonly Field[] = [
  { name: "aws_access_key_id", label: "Access key", kind: "text", isSecret: true, isRequired: true },
  {
    name: "aws_secret_access_key",
    label: "Secret key",
    kind: "text",
    isSecret: true,
    isHidden: true,
    isRequired: true,
  },
];

const BUCKET: readonly Field[] = [
  { name: "bucket_name", label: "Bucket", kind: "text", isRequired: true },
  { name: "region", label: "Region", kind: "text", initial: "us-east-1" },
  {
    name: "prefix",
    label: "Names begin with",
    kind: "text",
    placeholder: "weir/{year}/{month}",
    hint: "May have {year}, {month}, {day}, {hour}, {minute}, {second}, {table}, {data_interval_start}, {data_interval_end}.",
  },
];

export const DESTINATIONS: readonly Destination[] = [
  {
    type: "S3Compatible",
    label: "A bucket like S3",
    models: ALL,
    fields: [
      { name: "endpoint_url", label: "Address", kind: "text", isRequired: true, placeholder: "https://s3.example.com" },
      ...BUCKET,
      ...KEYS,
      { name: "use_virtual_style_addressing", label: "The bucket is part of the host's name", kind: "flag" },
      ...FILES,
    ],
  },
  { type: "AwsS3", label: "Amazon S3", models: ALL, fields: [...BUCKET, ...KEYS, ...FILES] },
  {
    type: "Postgres",
    label: "PostgreSQL",
    models: ["events", "persons"],
    fields: [
      { name: "host", label: "Host", kind: "text", isRequired: true },
      { name: "port", label: "Port", kind: "number", initial: "5432" },
      { name: "database", label: "Database", kind: "text", isRequired: true },
      { name: "schema", label: "Schema", kind: "text", initial: "public" },
      { name: "table_name", label: "Table", kind: "text", isRequired: true, hint: "It is made where it is missing." },
      { name: "user", label: "User", kind: "text", isSecret: true, isRequired: true },
      { name: "password", label: "Password", kind: "text", isSecret: true, isHidden: true, isRequired: true },
      { name: "has_self_signed_cert", label: "It has signed its certificate itself", kind: "flag" },
    ],
  },
  {
    type: "HTTP",
    label: "Another PostHog or Weir",
    models: ["events"],
    fields: [
      { name: "url", label: "Address", kind: "text", isRequired: true, placeholder: "https://eu.i.posthog.com/batch/" },
      { name: "token", label: "Its project key", kind: "text", isSecret: true, isHidden: true, isRequired: true },
    ],
  },
  {
    type: "Folder",
    label: "A folder of Weir's machine",
    models: ALL,
    fields: [
      {
        name: "path",
        label: "Folder",
        kind: "text",
        isRequired: true,
        placeholder: "nightly",
        hint: "Below exports/folders of the data folder, or below one that WEIR_EXPORT_FOLDERS names.",
      },
      ...FILES,
      { name: "manifest", label: "With a list of the files beside them", kind: "flag" },
    ],
  },
];

/** Of the API's name; the older S3 is Amazon's. Undefined for one that the pages do not know. */
export const destinationOf = (type: string): Destination | undefined =>
  DESTINATIONS.find((one) => one.type === (type === "S3" ? "AwsS3" : type));

/** What the fields of a form begin with: what is saved, else what is usual. */
export function valuesOf({ fields }: Destination, config: Readonly<Record<string, unknown>> | null): Values {
  const entries = fields.map(({ name, kind, initial }) => {
    const saved = config === null ? (initial ?? "") : config[name];
    if (kind === "flag") return [name, saved === true];
    return [name, typeof saved === "string" || typeof saved === "number" ? String(saved) : ""];
  });
  return Object.fromEntries(entries);
}

/** The values with one changed; a packing that the other format does not have becomes its first. */
export function withValue({ fields }: Destination, values: Values, name: string, value: string | boolean): Values {
  const next = { ...values, [name]: value };
  for (const field of fields) {
    const choices = field.choices?.(next);
    if (choices !== undefined && !choices.some((one) => one.value === next[field.name])) {
      next[field.name] = choices[0]!.value;
    }
  }
  return next;
}

/** The config as the API takes it. Empty members are left out of a new one; in a saved one they are null, secrets stay. */
export function configOf({ fields }: Destination, values: Values, isSaved: boolean): Record<string, unknown> {
  const entries = fields.flatMap(({ name, kind, isSecret }): [string, unknown][] => {
    const value = values[name] ?? "";
    if (typeof value === "boolean") return [[name, value]];
    const text = isSecret ? value : value.trim();
    if (text === "") return isSaved && !isSecret ? [[name, null]] : [];
    return [[name, kind === "number" ? Number(text) : text]];
  });
  return Object.fromEntries(entries);
}

/** Where an export goes, in a line. */
export function whereOf({ destination: { type, config } }: Pick<BatchExport, "destination">): string {
  const text = (name: string) => (typeof config[name] === "string" ? (config[name] as string) : "");
  switch (type) {
    case "Postgres":
      return `${text("host")} ${text("database")} ${text("schema") || "public"}.${text("table_name")}`;
    case "HTTP":
      return text("url");
    case "Folder":
      return text("path");
    default:
      return [text("bucket_name"), text("prefix")].filter((part) => part !== "").join("/");
  }
}

/** Names, one a line; null: none. */
export function namesIn(text: string): string[] | null {
  const names = text.split("\n").filter((line) => line.trim() !== "");
  return names.length === 0 ? null : names;
}

export const namesText = (names: unknown): string => (Array.isArray(names) ? names.join("\n") : "");
