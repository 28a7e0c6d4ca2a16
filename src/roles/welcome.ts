import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config.ts";
import type { Bootstrap } from "../metadata/mod.ts";
import { urlOf } from "./urls.ts";

const ROOT = join(import.meta.dir, "..", "..");

/** The text for a start that has made keys and then failed: the keys are never shown again. Empty where none were made. */
export function keysMade({ projectApiKey, personalApiKey }: Bootstrap): string {
  if (personalApiKey === null) return "";
  return `
The first keys are made, and this is the only time that the personal one is shown:

  project API key (sends events):    ${projectApiKey}
  personal API key (reads insights): ${personalApiKey}
`;
}

/**
 * The text that `weir start` prints once it is ready: address, keys, and commands for the first steps. Each command works as it is
 * printed, in the folder that this process was started in. `setupLink`: where the owner sets its first password; null where it has one.
 */
export function welcome(config: Config, port: number, keys: Bootstrap, setupLink: string | null): string {
  const url = urlOf(config.host, port);
  const weir = weirCommand(config);
  const newKey = `${weir} keys create --label me --scopes '*'`;
  const isShown = keys.personalApiKey !== null;
  const steps: [string, string][] = [
    ...(isShown ? [] : [["Make another personal key:", `WEIR_KEY=$(${newKey})`] satisfies [string, string]]),
    ...requests(url, keys),
    ["Make a project with months of events to look at:", `${weir} demo`],
    ...(isShown ? [["Make another personal key:", newKey] satisfies [string, string]] : []),
  ];
  return `
Weir is ready at ${url}

  project API key (sends events):    ${keys.projectApiKey ?? `(the first project was deleted; \`${weir} projects list\` shows the others)`}
  personal API key (reads insights): ${keys.personalApiKey ?? "(was shown when it was made)"}
${setupLink === null ? "" : `  set your password (within 30 min): ${setupLink}\n`}${keys.warnings.map((warning) => `\n  ${warning}\n`).join("")}
${steps.map(([title, command]) => `${title}\n\n  ${command}\n`).join("\n")}${needs(config)}
${url}/swagger describes the API, \`${weir} --help\` the commands. Ctrl-C stops everything.
`;
}

/** What a command on another terminal does not have by itself. */
function needs({ databaseUrl, natsUrl, storeUrl }: Config): string {
  const settings = { DATABASE_URL: databaseUrl, NATS_URL: natsUrl, WEIR_STORE_URL: storeUrl };
  const names = Object.entries(settings).flatMap(([name, value]) => (value === null ? [] : [name]));
  if (names.length === 0) return "";
  const keys = storeUrl?.startsWith("s3://") ? ", and the credentials of the bucket," : "";
  return `\nThe weir command needs ${names.join(", ")}${keys} as this process has them.\n`;
}

/** Requests that send an event and ask twice, for the first project while it exists. */
function requests(url: string, { projectApiKey, personalApiKey }: Bootstrap): [string, string][] {
  if (projectApiKey === null) return [];
  const json = "-H 'Content-Type: application/json'";
  const event = { api_key: projectApiKey, event: "first event", distinct_id: "me" };
  const query = { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "first event" }] };
  const bearer =
    personalApiKey === null
      ? '-H "Authorization: Bearer $WEIR_KEY"'
      : `-H ${quoted(`Authorization: Bearer ${personalApiKey}`)}`;
  const environment = `${url}/api/environments/1`;
  return [
    ["Send an event:", `curl -s ${url}/capture/ ${json} -d ${quoted(JSON.stringify(event))}`],
    ["Ask for an insight:", `curl -s ${environment}/query/ ${bearer} ${json} -d ${quoted(JSON.stringify({ query }))}`],
    ["List the newest events:", `curl -s '${environment}/events/?limit=10' ${bearer}`],
  ];
}

/** The `weir` command of this clone on this data folder, as a shell in the folder of this process takes it. */
function weirCommand({ dataDir }: Config): string {
  const path = process.cwd() === ROOT.replace(/\/$/, "") ? "scripts/weir" : join(ROOT, "scripts", "weir");
  const program = existsSync(join(ROOT, "scripts", "weir")) ? quoted(path) : "weir";
  return dataDir === join(ROOT, "data") ? program : `WEIR_DATA_DIR=${quoted(dataDir)} ${program}`;
}

/** As one word of a shell. */
function quoted(text: string): string {
  return /^[\w./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
