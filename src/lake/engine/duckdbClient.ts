import type * as Client from "@duckdb/node-api";
import type Bindings from "@duckdb/node-bindings";

let client: typeof Client | null = null;
let bindings: typeof Bindings | null = null;

/** DuckDB's client. Its library takes 8 MB of a process, so it is loaded at its first use: many processes only ask the catalog. */
export function duckdbClient(): typeof Client {
  client ??= loadedClient();
  return client;
}

function loadedClient(): typeof Client {
  const accessors = require("@duckdb/node-api/lib/vectors/dataAccessors.js") as { textDecoder: TextDecoder };
  // The client's own decoder drops a U+FEFF at the beginning of a text.
  accessors.textDecoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return require("@duckdb/node-api") as typeof Client;
}

/** The same of the calls below it. */
export function duckdbBindings(): typeof Bindings {
  bindings ??= require("@duckdb/node-bindings") as typeof Bindings;
  return bindings;
}
