import { randomUUID } from "node:crypto";
import {
  createImport,
  findImport,
  findUsers,
  IMPORT_ORDERS,
  IMPORT_RUNS,
  IMPORT_STATES,
  type ImportRecord,
  type ImportState,
  listImports,
  updateImport,
} from "../../metadata/mod.ts";
import { anyObject, nullable as maybe, oneOf, text as said, TIME, UUID } from "../../openapi/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { parseUuid } from "../../types/mod.ts";
import { object } from "../http/compound.ts";
import { invalidField } from "../http/errors.ts";
import { choice, type FieldValues, nullable, required, text } from "../http/fields.ts";
import { textParam } from "../http/query.ts";
import { held } from "../resource/held.ts";
import { Resource } from "../resource/resource.ts";
import { shape, userOf, type WithUsers } from "../resource/shape.ts";
import type { EnvironmentCall } from "../serve/route.ts";

const NAME_MAX = 100;
const ORIGIN_MAX = 4_000;
const ERROR_MAX = 4_000;

/** What `pause/` and `undo/` alone say. */
const ASKED: ReadonlySet<ImportState> = new Set(["stopping", "undoing", "undone"]);
const UNDONE: ReadonlySet<ImportState> = new Set(["undoing", "undone"]);

const FIELDS = {
  source: text({ maxLength: NAME_MAX }),
  origin: text({ maxLength: ORIGIN_MAX, blank: true }),
  mapping_hash: text({ maxLength: NAME_MAX }),
  state: choice(IMPORT_STATES.filter((state) => !ASKED.has(state))),
  counts: object(),
  error: nullable(text({ maxLength: ERROR_MAX, blank: true })),
};

const { schema, show } = shape<ImportRecord, WithUsers>("Import", {
  id: UUID,
  source: said("The product that the history is from."),
  origin: said("Which history: a path, a host with a project."),
  mapping_hash: said("Of all that decides about the events beside the rows."),
  state: oneOf(IMPORT_STATES),
  counts: [anyObject(), "counts"],
  error: maybe(said("Why it stands still.")),
  created_by: userOf(({ createdBy }) => createdBy),
  created_at: TIME,
  updated_at: TIME,
  finished_at: maybe(TIME),
});

/** What an answer shows of an import. */
export const IMPORT = schema;

async function find(tx: Tx, { params, environment }: EnvironmentCall): Promise<ImportRecord | null> {
  const id = parseUuid(params.id!);
  return id === null ? null : findImport(tx, environment.id, id);
}

/** Histories that were sent in: `weir import` makes and keeps these records. Events have the id of theirs as `$import_id`. */
export const IMPORTS = new Resource<ImportRecord, FieldValues<typeof FIELDS>>({
  noun: "import",
  path: "imports",
  scope: "batch_import",
  log: "Import",
  summaries: {
    list: "List the imports of history, newest first",
    create: "Note an import of history; its events carry its id as `$import_id`",
    retrieve: "Retrieve an import: where it is, and what became of its rows",
    change: "Note how far an import is",
  },
  fields: FIELDS,
  newOnly: ["source", "origin", "mapping_hash"],
  changeOnly: ["state", "counts", "error"],
  requires: ["source", "mapping_hash"],
  schema,
  listQuery: {
    source: textParam("Of this product."),
    origin: textParam("Of this history."),
    state: textParam("In this state."),
  },
  orders: IMPORT_ORDERS,
  order: "-created_at_ms",
  find,
  hold: held("imports", find),
  list(tx, { environment, query }, page) {
    const [source, origin, state] = ["source", "origin", "state"].map((name) => query.get(name) ?? undefined);
    return listImports(tx, { teamId: environment.id, source, origin, state }, page);
  },
  make: (tx, { environment, caller, nowMs }, values) =>
    createImport(tx, {
      id: randomUUID(),
      teamId: environment.id,
      source: required("source", values.source),
      origin: values.origin ?? "",
      mappingHash: required("mapping_hash", values.mapping_hash),
      userId: caller.user.id,
      nowMs,
    }),
  async change(tx, { nowMs }, before, { state = before.state, counts = before.counts, error = before.error }) {
    if (UNDONE.has(before.state)) {
      throw invalidField("state", "invalid", "This import was undone. Its rows can be brought by a new one.");
    }
    // An importer that goes on learns from the answer that it is to pause; one that begins again is asked no more.
    const isAsked = before.state === "stopping" && IMPORT_RUNS.has(state) && state !== "created";
    const after = { ...before, state: isAsked ? before.state : state, counts, error };
    return { after: await updateImport(tx, after, nowMs) };
  },
  nameOf: ({ source, origin }) => `${source} ${origin}`.trim(),
  // Counts change every few seconds.
  logged: (_tx, { state, error }) => ({ state, error }),
  async show(tx, _call, records) {
    const users = await findUsers(
      tx,
      records.map(({ createdBy }) => createdBy),
    );
    return records.map((record) => show(record, { users }));
  },
});
