import { UsageError } from "../../../types/mod.ts";
import { formatByName, nameOf } from "../../mapping/mod.ts";
import type { Format, Source } from "../../types.ts";
import { mapRow } from "./event.ts";
import { noData } from "./eventData.ts";
import type { UmamiOptions } from "./options.ts";

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
    return { files: words, website: typeof given.website === "string" ? given.website : null, data: noData };
  },
  mappingOf: ({ website }) => JSON.stringify({ umami: 1, website }),
  originOf: ({ files }) => files.join(" "),
  inputs: ({ files }) => files,
  stages: [{ name: "events", formatOf, map: mapRow, asksForFirsts: true }],
};

function formatOf(file: string): Format | null {
  return isEventData(file) ? null : formatByName(file);
}

/** Whether a file holds properties of events. */
export function isEventData(file: string): boolean {
  return /event_data/i.test(nameOf(file));
}
