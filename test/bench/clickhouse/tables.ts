import type { Vocabulary } from "../dataset/vocabulary.ts";

/** Nothing is remembered between questions, and there are as many threads as for DuckDB. */
export const SETTINGS = [
  `--max_threads=${navigator.hardwareConcurrency}`,
  "--use_query_cache=0",
  "--use_query_condition_cache=0",
  "--output_format_json_quote_64bit_integers=0",
];

/** How ClickHouse's tables are named in a question; each value is SQL text. */
export interface ClickHouseTables {
  events: string;
  persons: string;
  ofTeam: string;
  /** What a listing shows, in its order. */
  listed: string;
  /** A property of an event as text, as PostHog writes it. */
  text(key: string): string;
  /** As a number. */
  number(key: string): string;
  /** A property of a person as text. */
  personText(key: string): string;
}

export type ClickHouseVariant = "json" | "columns";

/** What PostHog puts for a property that has no column. */
const raw = (properties: string, key: string): string =>
  `replaceRegexpAll(nullIf(nullIf(JSONExtractRaw(${properties}, '${key}'), ''), 'null'), '^"|"$', '')`;

interface MaterialisedColumn {
  table: "events" | "person";
  name: string;
  type: string;
  /** What fills it. */
  of: string;
}

/** The keys that questions ask for have columns made by hand: `mat_…` of events, `pmat_…` of persons. */
export function materialised(v: Vocabulary): MaterialisedColumn[] {
  const of = (key: string) => `replaceRegexpAll(JSONExtractRaw(properties, '${key}'), '^"|"$', '')`;
  const text = (table: "events" | "person", key: string): MaterialisedColumn => {
    return { table, name: `${table === "events" ? "mat" : "pmat"}_${key}`, type: "String", of: of(key) };
  };
  const { amount } = v.keys;
  return [
    ...["$browser", "$pathname", "$session_id"].map((key) => text("events", key)),
    { table: "events", name: `mat_${amount}`, type: "Nullable(Float64)", of: `toFloat64OrNull(${of(amount)})` },
    ...[v.tier, "$geoip_country_code"].map((key) => text("person", key)),
  ];
}

export function tablesOf(variant: ClickHouseVariant, v: Vocabulary): ClickHouseTables {
  const names = {
    events: "d.events",
    persons: "d.person",
    ofTeam: `team_id = ${v.team}`,
    listed: "uuid, event, distinct_id, person_id, toUnixTimestamp64Milli(timestamp), properties",
  };
  if (variant === "json") {
    const text = (key: string) => raw("properties", key);
    return { ...names, text, number: (key) => `toFloat64OrNull(${text(key)})`, personText: text };
  }
  return {
    ...names,
    text: (key) => `nullIf(nullIf(\`mat_${key}\`, ''), 'null')`,
    number: (key) => `\`mat_${key}\``,
    personText: (key) => `nullIf(nullIf(\`pmat_${key}\`, ''), 'null')`,
  };
}
