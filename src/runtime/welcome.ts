import type { Config } from "../config.ts";
import type { Bootstrap } from "../metadata/mod.ts";

/** The keys that a start has made, for one that failed afterwards: they are never shown again. Empty where none were made. */
export function keysMade({ projectApiKey, personalApiKey }: Bootstrap): string {
  if (personalApiKey === null) return "";
  return `
The first keys are made, and this is the only time that the personal one is shown:

  project API key (sends events):    ${projectApiKey}
  personal API key (reads insights): ${personalApiKey}
`;
}

/** What `weir start` prints once it is ready: where it is, and how to send a first event and ask a first question. */
export function welcome(config: Config, port: number, keys: Bootstrap): string {
  const url = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}`;
  const token = keys.projectApiKey ?? "$WEIR_PROJECT_API_KEY";
  const personal = keys.personalApiKey ?? "$WEIR_PERSONAL_API_KEY";
  const event = JSON.stringify({ api_key: token, event: "first event", distinct_id: "me" });
  const insight = JSON.stringify({
    query: { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "first event" }] },
  });
  const shown = keys.personalApiKey ?? "(shown when it was made; `weir keys create` makes another)";
  return `
Weir is ready at ${url}

  project API key (sends events):    ${token}
  personal API key (reads insights): ${shown}
${keys.warnings.map((warning) => `\n  ${warning}\n`).join("")}
Send an event:

  curl -s ${url}/capture/ -H 'Content-Type: application/json' -d '${event}'

Ask for an insight:

  curl -s ${url}/api/environments/1/query/ -H 'Authorization: Bearer ${personal}' -H 'Content-Type: application/json' -d '${insight}'

Ctrl-C stops everything.
`;
}
