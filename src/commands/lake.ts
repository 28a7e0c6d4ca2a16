import type { Config } from "../config.ts";
import {
  type ErasedReport,
  type FilesReport,
  type LakeOverview,
  openCatalog,
  verifyErased,
  verifyFiles,
} from "../lake/mod.ts";
import { openStorage } from "../roles/paths.ts";
import { UsageError } from "../types/mod.ts";
import { type Arguments, unexpected } from "./kit/command.ts";
import { asideLines, type Printed, table } from "./kit/output.ts";
import type { Deed } from "./kit/records.ts";
import { untilSignal } from "./kit/signal.ts";
import { readPin } from "./lakePins.ts";
import { readPublish } from "./lakePublish.ts";

/** `weir lake`. Throws UsageError. */
export function readLake(
  given: Arguments<{ json: "flag"; erased: "flag"; keep: "text"; endpoint: "text" }>,
  config: Config,
): Deed {
  const { options, words } = given;
  const [action, ...rest] = words;
  if (action === "publish") return readPublish(rest, options, config);
  if (action === "pin" || action === "unpin") return readPin(action, rest);
  if (rest[0] !== undefined) throw unexpected(rest[0]);
  const told = <T>(found: T, text: (found: T) => string): Printed => ({
    text: options.json ? JSON.stringify(found) : text(found),
  });
  if (action === undefined) return async (db) => told(await openCatalog(db).lakeOverview(), overviewText);
  if (action !== "verify") throw new UsageError(`Unknown action "${action}".`);
  return async (db) => {
    // What others have cached says nothing of the store.
    const storage = openStorage(config, { isShared: false });
    const memoryLimitBytes = config.compactMemoryBytes;
    const lake = { catalog: openCatalog(db), storage, memoryLimitBytes, signal: untilSignal("the check") };
    if (options.erased) {
      const report = await verifyErased(lake);
      return {
        ...told(report, erasedText),
        exitCode: report.leftovers.length + report.unreadable.length === 0 ? 0 : 1,
      };
    }
    const report = await verifyFiles(lake);
    return { ...told(report, filesText), exitCode: report.problems.length === 0 ? 0 : 1 };
  };
}

const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
const day = (ms: number | null): string => (ms === null ? "-" : new Date(ms).toISOString().slice(0, 10));

function overviewText({ files, projects, erasuresWaiting, setAside }: LakeOverview): string {
  if (files.length === 0) return "The lake is empty.";
  const byLevel = files.map((file) => ({
    ...{ kind: file.kind, state: file.state, level: String(file.level), files: String(file.count) },
    ...{ rows: String(file.rows), size: mib(file.sizeBytes) },
  }));
  const byProject = projects.map((project) => ({
    project: String(project.teamId),
    files: `${project.files} (${project.sharedFiles} shared)`,
    events: String(project.events),
    from: day(project.minMs),
    to: day(project.maxMs),
    "rows of persons": String(project.logRows),
    size: mib(project.sizeBytes),
    columns: String(project.layout.length),
    "in all columns": project.events === 0 ? "-" : `${Math.floor((100 * project.typedEvents) / project.events)} %`,
  }));
  const layouts = projects
    .filter(({ layout }) => layout.length > 0)
    .map(({ teamId, layout }) => {
      return `columns of project ${teamId}: ${layout.map(({ id, key, type }) => `p${id} ${JSON.stringify(key)} ${type}`).join(", ")}`;
    });
  const pinned = projects
    .filter(({ pinnedWithout }) => pinnedWithout.length > 0)
    .map(({ teamId, pinnedWithout }) => {
      return `pinned without a column, project ${teamId}: ${pinnedWithout.map((key) => JSON.stringify(key)).join(", ")}`;
    });
  const waiting = erasuresWaiting === 0 ? [] : [`deletions that files still wait for: ${erasuresWaiting}`];
  return [
    table(byLevel),
    ...(byProject.length === 0 ? [] : [table(byProject)]),
    ...layouts,
    ...pinned,
    ...waiting,
    ...asideLines(setAside),
  ].join("\n\n");
}

function filesText({ segments, rows, sizeBytes, withoutChecksum, problems }: FilesReport): string {
  const old = withoutChecksum === 0 ? "" : `; of ${withoutChecksum} without a checksum only the size was compared`;
  return [
    ...problems.map(({ id, problem, detail }) => `${id}  ${problem}: ${detail}`),
    `Read ${segments} segments, ${rows} rows, ${mib(sizeBytes)}${old}. ${problems.length} problems.`,
  ].join("\n");
}

/** A report as an operator reads it. */
export function erasedText(report: ErasedReport): string {
  const { projects, persons, groups, imports, waiting, returned, filesRead, unreadable, leftovers } = report;
  if (projects + persons + groups + imports === 0) return "Nothing was ever deleted, so no file was read.";
  const isLeft = leftovers.length + unreadable.length > 0;
  return [
    ...leftovers.map(({ place, teamId, rows }) => `${place}  ${rows} rows of project ${teamId}`),
    ...unreadable.map((name) => `${name}  cannot be read`),
    `${projects} projects, ${persons} persons, ${groups} groups and the events of ${imports} imports were deleted; files still wait for ${waiting} of these deletions.`,
    ...(returned === 0
      ? []
      : [`${returned} persons have come back: their old rows in tables cannot be told from new ones.`]),
    `Read ${filesRead} files and the tables of data: ${isLeft ? "something is left" : "nothing is left"}.`,
    "Messages that actors are still to send were not read.",
  ].join("\n");
}
