import { UsageError } from "../../../types/mod.ts";
import { formatByName, nameOf, originOfFiles } from "../../mapping/mod.ts";
import type { Source } from "../../types.ts";
import { mapRow } from "./event.ts";
import type { Ga4Options } from "./options.ts";

/** Tables of Google Analytics 4 in BigQuery, as files. */
export const ga4: Source<Ga4Options> = {
  name: "ga4",
  usage: `weir import ga4 FILE…
  events_YYYYMMDD as BigQuery extracts it: JSON lines or Parquet, packed or not.
  --drop NAMES     events to leave out, such as user_engagement,session_start,first_visit
  --anonymous      rows without any id become events of nobody (otherwise they are rejected)`,
  options: { drop: "text", anonymous: "flag" },
  read: (given, words) => {
    if (words.length === 0) throw new UsageError("Name files, a folder or a bucket.");
    const names = typeof given.drop === "string" ? given.drop.split(",").map((name) => name.trim()) : [];
    return { files: words, drop: new Set(names.filter((name) => name !== "")), anonymous: given.anonymous === true };
  },
  mappingOf: ({ drop, anonymous }) => JSON.stringify({ ga4: 1, drop: [...drop].sort(), anonymous }),
  originOf: ({ files }) => originOfFiles(files),
  inputs: ({ files }) => files,
  stages: [
    {
      name: "events",
      // BigQuery numbers the files of a large table: `events-000000000000`.
      formatOf: (file) => formatByName(file) ?? (/-\d{12}(\.gz)?$/.test(nameOf(file)) ? "lines" : null),
      map: mapRow,
      asksForFirsts: true,
    },
  ],
};
