import { SOURCE_NAMES } from "../../import/sources/mod.ts";

export const IMPORT_USAGE = `usage: weir import SOURCE [FILE…] --project N [OPTION…]
       weir import inspect FILE…
       weir import list --project N [--json]
       weir import status|report ID [--project N] [--json]
       weir import resume ID
       weir import undo ID [--project N]

Brings the history of another product into a running Weir. It may be stopped, killed or repeated: each event is stored once.
SOURCE is one of ${SOURCE_NAMES.join(", ")}; \`weir import SOURCE --help\` tells its options.
A FILE is a file, a folder, or s3://BUCKET/PREFIX.

  inspect    proposes a mapping for \`weir import file\`, and shows three rows under it
  list       the imports of a project; status and report tell of one
  resume     goes on where an import was stopped
  undo       deletes the events that an import has brought, and tells how many persons have none left

  --project N        the id of the environment
  --url URL          the front; when absent, the one that runs on the data folder
  --key KEY          a personal API key (WEIR_API_KEY); when absent, one is made for the run on the machine of the data folder
  --from D --to D    only events of these days (UTC), the last one included
  --dry-run          maps everything, sends nothing, and tells what would come. --sample N looks at the first N rows
  --max-rejects S    a dry run ends with 3 when a larger share of the rows is rejected (0.001)
  --identical=merge  rows that are equal in everything are one event; otherwise each is one of its own
  --device-users N   a device of more users is not connected to any of them (1)
  --as-new           imports a history under another mapping than before
  --s3-endpoint URL  a server like S3; credentials are AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY
  --state DIR        where the import keeps how far it is (imports/ID below the data folder)
  --json             lines for programs

Ends with 0 when every row is accounted for: stored, duplicate, rejected or left out; with 1 when events are missing.`;

/** The options of all sources come after those of the one that the arguments name. */
export async function usageFor(argv: readonly string[]): Promise<string> {
  const name = argv.find((word) => !word.startsWith("-"));
  if (name === undefined) return IMPORT_USAGE;
  const { findSource } = await import("../../import/mod.ts");
  const source = await findSource(name);
  if (source === null) return IMPORT_USAGE;
  return `usage: ${source.usage}\n\n${IMPORT_USAGE.slice(IMPORT_USAGE.indexOf("  --project N  "))}`;
}
