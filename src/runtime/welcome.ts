import type { Config } from "../config.ts";

/** What `weir start` prints once it is ready: where it is, and how to send a first event and ask a first question. */
export function welcome(
  config: Config,
  port: number,
  keys: { projectApiKey: string; personalApiKey: string | null; warning?: string | null },
): string {
  const url = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}`;
  const personal = keys.personalApiKey ?? "$WEIR_PERSONAL_API_KEY";
  const event = JSON.stringify({ api_key: keys.projectApiKey, event: "first event", distinct_id: "me" });
  const insight = JSON.stringify({ query: { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "first event" }] } });
  const shown = keys.personalApiKey ?? "(shown when it was made; `weir keys create` makes another)";
  return `
Weir is ready at ${url}

  project API key (sends events):    ${keys.projectApiKey}
  personal API key (reads insights): ${shown}
${keys.warning ? `\n  ${keys.warning}\n` : ""}
Send an event:

  curl -s ${url}/capture/ -H 'Content-Type: application/json' -d '${event}'

Ask for an insight:

  curl -s ${url}/api/environments/1/query/ -H 'Authorization: Bearer ${personal}' -H 'Content-Type: application/json' -d '${insight}'

Ctrl-C stops everything.
`;
}
