import { type LogFilter, listExportLogs } from "../../metadata/mod.ts";
import { textParam } from "../http/query.ts";
import { timeIn } from "../http/time.ts";
import { pageRoute } from "../resource/pageRoute.ts";
import type { EnvironmentCall, HandledBy } from "../serve/route.ts";
import { LOG } from "./shapes.ts";

/** A list of what runs had to say, newest first. `filter`: whose. Throws ApiError 404. */
export function logsRoute(
  path: string,
  summary: string,
  filter: (call: EnvironmentCall) => Promise<Pick<LogFilter, "exportId" | "runId">>,
): HandledBy<EnvironmentCall> {
  return pageRoute({
    path,
    summary,
    scope: "batch_export:read",
    query: {
      level: textParam("Levels, with commas between them, e.g. `WARN,ERROR`."),
      search: textParam("A part of the message."),
      after: textParam("Later than that, ISO 8601."),
      before: textParam("Earlier than that, ISO 8601."),
      instance_id: textParam("Those of one run."),
    },
    item: LOG,
    async read(call, page) {
      const { query, deps } = call;
      const levels = (query.get("level") ?? "")
        .toLowerCase()
        .split(",")
        .filter((level) => level !== "");
      const ofRun = query.get("instance_id");
      const wanted = {
        ...(ofRun === null ? {} : { runId: ofRun }),
        ...(await filter(call)),
        levels: levels.length === 0 ? undefined : levels,
        search: query.get("search") || undefined,
        afterMs: timeIn(query.get("after") ?? "") ?? undefined,
        beforeMs: timeIn(query.get("before") ?? "") ?? undefined,
      };
      return deps.db.read((tx) => listExportLogs(tx, wanted, page));
    },
  });
}
