import { join } from "node:path";
import { Type } from "@sinclair/typebox";
import { destinationOf, downloadFolder, type Model, partName } from "../../export/mod.ts";
import {
  addRun,
  type BatchExport,
  type BatchExportRun,
  blankBatchExport,
  countOpenDownloads,
  createBatchExport,
  findDownload,
  holdRow,
  listDownloads,
  RUN_STATUSES,
  readBatchExport,
} from "../../metadata/mod.ts";
import { ERROR, media, object, oneOf, text, UUID } from "../../openapi/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { type JsonObject, uuidV5 } from "../../types/mod.ts";
import { list } from "../http/compound.ts";
import { ApiError, invalidField, notFound } from "../http/errors.ts";
import { choice, type FieldValues, nullable, readFields, required, text as textField } from "../http/fields.ts";
import { json } from "../http/reply.ts";
import { time } from "../http/time.ts";
import { pageRoute } from "../resource/pageRoute.ts";
import { shape } from "../resource/shape.ts";
import { recordOf } from "../serve/activity.ts";
import type { EnvironmentCall, HandledBy } from "../serve/route.ts";
import { checkHogql } from "./checkHogql.ts";
import { checkedConfig } from "./destination.ts";
import { FILE_FIELD, MODELS } from "./fields.ts";
import { fileAnswer } from "./fileAnswer.ts";
import { cancelOpenRun } from "./runs.ts";

/** Downloads of one environment that wait or run. */
const OPEN_MAX = 10;

const FIELDS = {
  file: FILE_FIELD,
  model: choice(MODELS),
  include: nullable(list(textField())),
  exclude: nullable(list(textField())),
  hogql_query: nullable(textField({ maxLength: 65_536 })),
  data_interval_start: nullable(time()),
  data_interval_end: nullable(time()),
};
type Values = FieldValues<typeof FIELDS>;

const STATUS = oneOf(RUN_STATUSES);
const MADE = object("FileDownloadMade", { id: UUID });
const LISTED = shape<BatchExportRun>("FileDownload", { id: UUID, status: STATUS });
const SEEN = object("FileDownloadState", {
  status: STATUS,
  files: Type.Optional(Type.Array(UUID)),
  error: Type.Optional(text()),
});
const CANCELLED = object("FileDownloadCancelled", { status: STATUS });

/** Files for a download that are made once; the id is that of the run. */
export const downloadRoutes: HandledBy<EnvironmentCall>[] = [
  pageRoute({
    path: "file_download_batch_exports/",
    summary: "List the file downloads, newest first",
    scope: "batch_export:read",
    item: LISTED,
    read: ({ deps, environment }, page) => deps.db.read((tx) => listDownloads(tx, environment.id, page)),
  }),
  {
    method: "POST",
    path: "file_download_batch_exports/",
    summary: "Make files of what was accepted in an interval, or of a HogQL query, to be downloaded",
    scope: "batch_export:write",
    body: FIELDS,
    requires: ["file", "model"],
    responses: { 202: MADE, 429: ERROR },
    async handle(call) {
      const wish = readWish(call, readFields(FIELDS, await call.body()));
      await checkHogql(call, { model: wish.model, hogqlQuery: wish.hogqlQuery });
      const config = await checkedConfig("FileDownload", wish.config);
      const id = await call.deps.db.write((tx) => makeDownload(tx, call, { ...wish, config }));
      return json({ id }, 202);
    },
  },
  {
    method: "GET",
    path: "file_download_batch_exports/:id/",
    summary: "How far a file download is, and the ids of its files",
    scope: "batch_export:read",
    responses: { 200: SEEN },
    async handle(call) {
      const run = await runOf(call);
      const { status, latestError: error } = run;
      const files = status === "Completed" ? { files: fileIds(run) } : {};
      return json({ status, ...files, ...(error === null ? {} : { error }) });
    },
  },
  {
    method: "POST",
    path: "file_download_batch_exports/:id/cancel/",
    summary: "Cancel a file download that has not ended",
    scope: "batch_export:write",
    responses: { 200: CANCELLED },
    async handle(call) {
      const run = await runOf(call);
      await call.deps.db.write(async (tx) => {
        await cancelOpenRun(tx, run, call.nowMs);
        await note(tx, call, run.id, "cancelled");
      });
      return json({ status: (await runOf(call)).status });
    },
  },
  ...["download/", "download/:part/"].map(
    (end): HandledBy<EnvironmentCall> => ({
      method: "GET",
      path: `file_download_batch_exports/:id/${end}`,
      summary: end === "download/" ? "Download the first file" : "Download a file, by its id or its place from 0",
      scope: "batch_export:read",
      headers: { Range: "`bytes=…`: a part of the file." },
      responses: {
        200: media("application/octet-stream", "The file."),
        206: media("application/octet-stream", "A part of it."),
        416: null,
      },
      handle: download,
    }),
  ),
];

/** The run that the path names. Throws ApiError 404. */
async function runOf({ deps, environment, params }: EnvironmentCall): Promise<BatchExportRun> {
  const run = await deps.db.read((tx) => findDownload(tx, environment.id, params.id ?? ""));
  if (run === null) throw notFound();
  return run;
}

/** Ids are functions of the run and the place. */
const fileIds = ({ id, parts }: BatchExportRun): string[] =>
  Array.from({ length: parts }, (_, place) => uuidV5(Buffer.from(id.replaceAll("-", ""), "hex"), String(place)));

async function download(call: EnvironmentCall): Promise<Response> {
  const run = await runOf(call);
  const { status, fromMs, toMs, exportId } = run;
  if (status !== "Completed")
    throw invalidField(null, "invalid_input", UNREADABLE[status] ?? "Batch export run has failed");
  const item = await call.deps.db.read((tx) => readBatchExport(tx, exportId));
  const place = placeOf(run, call.params.part);
  if (item === null || place === null) throw notFound();
  const range = { exportId, teamId: run.teamId, model: item.model as Model, fromMs, toMs };
  const open = await (await destinationOf("FileDownload"))!.open(item.destination.config, range, {
    ...call.deps.exports.env,
    log: () => {},
  });
  const name = partName(range, place, open.format);
  return fileAnswer(call.request, join(downloadFolder(call.deps.exports.env.folder, exportId), name), name);
}

const UNREADABLE: Record<string, string> = {
  Starting: "Batch export run is still in progress",
  Running: "Batch export run is still in progress",
  Cancelled: "Batch export run was cancelled",
};

/** By the id of a file or its place; the first where neither is given. Null where there is none. */
function placeOf(run: BatchExportRun, part: string | undefined): number | null {
  const place =
    part === undefined ? 0 : /^\d{1,9}$/.test(part) ? Number(part) : fileIds(run).indexOf(part.toLowerCase());
  return place >= 0 && place < run.parts ? place : null;
}

interface Wish {
  model: BatchExport["model"];
  config: JsonObject;
  hogqlQuery: string | null;
  fromMs: number | null;
  toMs: number;
}

/** Throws ApiError 400. */
function readWish({ nowMs }: EnvironmentCall, values: Values): Wish {
  const file = required("file", values.file);
  const model = required("model", values.model);
  const { include = null, exclude = null, hogql_query: hogqlQuery = null } = values;
  const { data_interval_start: fromMs = null, data_interval_end: toMs = null } = values;
  const { format = "Parquet", compression = null, max_size_mb: size = null, ...others } = file;
  const config = { ...others, file_format: format, compression, max_file_size_mb: size };
  if (model === "hogql") {
    if (fromMs !== null || toMs !== null) {
      throw invalid(
        "'data_interval_start' and 'data_interval_end' are not supported when 'model' is 'hogql': the query runs as of the time the export starts",
      );
    }
    if (include !== null || exclude !== null)
      throw invalid("'include' and 'exclude' are not supported when 'model' is 'hogql'");
    return { model, config, hogqlQuery, fromMs: nowMs, toMs: nowMs };
  }
  // Without a start everything from the beginning on: Weir's own.
  if (toMs === null) throw invalid(`'data_interval_start' and 'data_interval_end' are required for '${model}'`);
  if (fromMs !== null && fromMs > toMs) throw invalid("'data_interval_end' must occur after 'data_interval_start'");
  if (toMs > nowMs)
    throw invalid(`The provided 'data_interval_end' (${new Date(toMs).toISOString()}) is in the future`);
  const named: JsonObject = model === "events" ? { include_events: include, exclude_events: exclude } : {};
  return { model, config: { ...config, ...named }, hogqlQuery, fromMs, toMs };
}

async function makeDownload(tx: Tx, call: EnvironmentCall, wish: Wish): Promise<string> {
  const { environment, caller, nowMs } = call;
  const teamId = environment.id;
  // Two that make the last one at once must not both find room.
  await holdRow(tx, "environments", teamId);
  if ((await countOpenDownloads(tx, teamId)) >= OPEN_MAX) {
    const detail = "Too many concurrent file download batch exports for this team.";
    throw new ApiError(429, "throttled_error", "too_many_concurrent_file_downloads", detail);
  }
  const item = await createBatchExport(tx, {
    ...blankBatchExport(teamId, nowMs),
    kind: "download",
    model: wish.model,
    destination: { type: "FileDownload", config: wish.config, secrets: "" },
    interval: null,
    hogqlQuery: wish.hogqlQuery,
    createdBy: caller.user.id,
  });
  const run = { exportId: item.id, teamId, backfillId: null, fromMs: wish.fromMs, toMs: wish.toMs };
  const id = (await addRun(tx, run, nowMs))!;
  await note(tx, call, id, "created");
  return id;
}

function note(tx: Tx, call: EnvironmentCall, runId: string, activity: string): Promise<void> {
  const detail = { name: "file download", changes: null };
  return recordOf(tx, call, { teamId: call.environment.id, scope: "BatchExport", itemId: runId, activity, detail });
}

const invalid = (detail: string) => invalidField(null, "invalid_input", detail);
