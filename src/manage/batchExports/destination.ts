import { checkConfig, destinationOf } from "../../export/mod.ts";
import type { ExportDestination } from "../../metadata/mod.ts";
import { isJsonObject, type JsonObject, TerminalError } from "../../types/mod.ts";
import { invalidField } from "../http/errors.ts";
import type { ManageDeps } from "../serve/deps.ts";
import type { DestinationWish } from "./fields.ts";

/**
 * What is kept of a destination that a client wants. Members that the wish does not name stay as they were (`before`); what is secret is
 * sealed for the export of this id. Throws ApiError 400.
 */
export async function keptDestination(
  deps: ManageDeps,
  id: string,
  wish: DestinationWish,
  before: ExportDestination | null,
): Promise<ExportDestination> {
  if (before !== null && before.type !== wish.type) {
    throw invalid(
      `Cannot change destination type from '${before.type}' to '${wish.type}'. Delete this batch export and create a new one with the new destination type.`,
    );
  }
  // Their files belong to a download alone.
  if (wish.type === "FileDownload")
    throw invalid("'FileDownload' is for file_download_batch_exports: use 'Folder' here.");
  const whole = await checkedConfig(
    wish.type,
    merged(before === null ? {} : openConfig(deps, id, before), wish.config),
  );
  const { secrets: names } = (await destinationOf(wish.type))!;
  const entries = Object.entries(whole);
  const secret = Object.fromEntries(entries.filter(([name]) => names.includes(name)));
  const config = Object.fromEntries(entries.filter(([name]) => !names.includes(name)));
  return { type: wish.type, config, secrets: deps.exports.secrets.seal(secret, id) };
}

/** The config of a destination with its secrets, for Weir's own use. */
export function openConfig(deps: ManageDeps, id: string, { config, secrets }: ExportDestination): JsonObject {
  return { ...config, ...deps.exports.secrets.open(secrets, id) };
}

/** A config as its destination takes it. Throws ApiError 400. */
export async function checkedConfig(type: string, config: JsonObject): Promise<JsonObject> {
  const kind = await destinationOf(type);
  if (kind === null) throw invalidField("destination__type", "invalid_choice", `"${type}" is not a valid choice.`);
  try {
    return checkConfig(kind, config) as JsonObject;
  } catch (error) {
    if (error instanceof TerminalError) throw invalid(error.message);
    throw error;
  }
}

const invalid = (detail: string) => invalidField("destination", "invalid_input", detail);

/** Members of the second over those of the first, objects inside likewise. */
export function merged(old: JsonObject, wish: JsonObject): JsonObject {
  const members = Object.entries(wish).map(([name, value]) => {
    const former = old[name];
    return [name, isJsonObject(value) && isJsonObject(former) ? merged(former, value) : value];
  });
  return { ...old, ...Object.fromEntries(members) };
}
