import { UsageError } from "../../../types/mod.ts";
import { formatByName, originOfFiles } from "../../mapping/mod.ts";
import type { Format, Source } from "../../types.ts";
import { mapRow } from "./event.ts";
import { noData } from "./eventData.ts";
import type { UmamiOptions } from "./options.ts";
import { isEventData, stageData } from "./stage.ts";

/** Umami's tables as files. */
export const umami: Source<UmamiOptions> = {
  name: "umami",
  summary: "events of Umami, from its tables as CSV",
  usage: `weir import umami website_event.csv [event_data.csv]
  website_event with the columns of its session, as Umami Cloud exports it; event_data has the properties of events.
  --website ID     only events of this website`,
  options: { website: "text" },
  read: (given, words) => {
    if (words.length === 0) throw new UsageError("Name website_event.csv, and event_data.csv where there is one.");
    const text = (name: string) => (typeof given[name] === "string" ? given[name] : undefined);
    return { files: words, website: text("website") ?? null, s3Endpoint: text("s3-endpoint"), data: noData };
  },
  mappingOf: ({ website }) => JSON.stringify({ umami: 1, website }),
  originOf: ({ files }) => originOfFiles(files),
  inputs: ({ files }) => files.filter((file) => !isEventData(file)),
  stage: stageData,
  stages: [{ name: "events", formatOf, map: mapRow, asksForFirsts: true }],
};

function formatOf(file: string): Format | null {
  return isEventData(file) ? null : formatByName(file);
}
