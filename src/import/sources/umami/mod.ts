import { UsageError } from "../../../types/mod.ts";
import { originOfFiles } from "../../mapping/mod.ts";
import type { Source } from "../../types.ts";
import { mapRow } from "./event.ts";
import { noData } from "./eventData.ts";
import type { UmamiOptions } from "./options.ts";
import { mapSessionData } from "./sessionData.ts";
import { isOfEvents, stageData } from "./stage.ts";
import { formatWhere, tableOf } from "./table.ts";

/** Umami's tables as files. */
export const umami: Source<UmamiOptions> = {
  name: "umami",
  usage: `weir import umami website_event.csv [event_data.csv] [session_data.csv] [revenue.csv]
  website_event with the columns of its session, as Umami Cloud exports it; event_data and revenue have the properties of
  events, session_data those of visitors.
  --website ID     only events of this website`,
  options: { website: "text" },
  read: (given, words) => {
    if (words.length === 0)
      throw new UsageError(
        "Name website_event.csv, and event_data.csv, session_data.csv and revenue.csv where there are any.",
      );
    const text = (name: string) => (typeof given[name] === "string" ? given[name] : undefined);
    return { files: words, website: text("website") ?? null, s3Endpoint: text("s3-endpoint"), data: noData };
  },
  mappingOf: ({ website }) => JSON.stringify({ umami: 1, website }),
  originOf: ({ files }) => originOfFiles(files),
  inputs: ({ files }) => files.filter((file) => !isOfEvents(tableOf(file))),
  stage: stageData,
  stages: [
    {
      name: "session_data",
      formatOf: (file) => formatWhere(file, "session_data"),
      map: mapSessionData,
      asksForFirsts: true,
    },
    { name: "events", formatOf: (file) => formatWhere(file, "website_event"), map: mapRow, asksForFirsts: true },
  ],
};
