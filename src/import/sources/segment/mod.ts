import { UsageError } from "../../../types/mod.ts";
import { formatByName, nameOf, originOfFiles } from "../../mapping/mod.ts";
import type { Source } from "../../types.ts";
import { mapCall } from "./call.ts";
import type { SegmentOptions } from "./options.ts";

/** Segment's logs of a bucket. */
export const segment: Source<SegmentOptions> = {
  name: "segment",
  usage: `weir import segment FILE…
  Files of segment-logs/, or the folder or bucket with them: JSON lines, packed or not.
  --group-type NAME   what groupId is a key of (company)`,
  options: { "group-type": "text" },
  read: (given, words) => {
    if (words.length === 0) throw new UsageError("Name files, a folder or a bucket.");
    const groupType = given["group-type"] ?? "company";
    if (typeof groupType !== "string" || groupType.trim() === "") throw new UsageError("--group-type takes a name.");
    return { files: words, groupType };
  },
  mappingOf: ({ groupType }) => JSON.stringify({ segment: 1, groupType }),
  originOf: ({ files }) => originOfFiles(files),
  inputs: ({ files }) => files,
  stages: [
    {
      name: "calls",
      // Segment's logs are called `1700000000000.hash.gz`.
      formatOf: (file) => formatByName(file) ?? (/^[\w.-]+\.gz$/i.test(nameOf(file)) ? "lines" : null),
      map: mapCall,
      asksForFirsts: true,
      numbersCopies: true,
    },
  ],
};
