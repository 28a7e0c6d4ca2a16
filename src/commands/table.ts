import { IMPORT_USAGE } from "./import/usage.ts";
import { type Command, command } from "./kit/command.ts";
import { ROLES } from "./roles.ts";

/**
 * The commands of `weir`, an entry each. A command loads its modules when it runs: help needs none of them, and a process holds
 * only what it uses.
 */
export const COMMANDS: readonly Command[] = [
  ...ROLES,
  command({
    name: "status",
    summary: "show partitions, their owners, the queue, files",
    usage: `usage: weir status [--json]

Shows a running Weir: partitions with their owners and epochs, the queue and its age, files, dead letters.`,
    options: { json: "flag" },
    run: async (given, config) => onRecords(config, (await import("./status.ts")).lookAtStatus(given, config)),
  }),
  command({
    name: "doctor",
    summary: "look at everything that Weir stands on, and say what to do",
    usage: `usage: weir doctor [--json]

Looks at versions, folder, disk, address, record store, clocks, files, broker, workers, queue, dead letters and front. Ends with 1 where
something is bad. It changes nothing.`,
    options: { json: "flag" },
    run: async (given, config) => (await import("./doctor/mod.ts")).runDoctor(given, config),
  }),
  command({
    name: "install-service",
    summary: "write a unit of systemd that runs Weir",
    usage: `usage: weir install-service [--user NAME] [--print] [--force]

Writes a unit of systemd that runs \`weir start\` on WEIR_DATA_DIR, with the settings of this shell: as root for the system, else for this
user. It prints what to run then.

  --user   as root: the user that Weir runs as
  --print  prints the unit and writes nothing
  --force  replaces a unit that exists`,
    options: { user: "text", print: "flag", force: "flag" },
    run: async (given, config) => (await import("./installService.ts")).installService(given, config),
  }),
  command({
    name: "lake",
    summary: "show files and columns; verify files and deletions; publish tables for other engines",
    usage: `usage: weir lake [--json]
       weir lake verify [--erased] [--json]
       weir lake pin PROJECT KEY [VARCHAR|BOOLEAN|BIGINT|DOUBLE]
       weir lake unpin PROJECT KEY
       weir lake publish PROJECT PLACE [--keep N] [--endpoint URL] [--json]

  (nothing)  files, sizes and columns, by project
  verify     reads every live file and compares it with the catalog; --erased looks for deleted rows in every file and
             in the tables of data. Ends with 1 when it finds something
  pin        gives the property a column of its own, of the type that most values have unless a type is named; PROJECT is
             the id of an environment. unpin takes that back; a column that exists stays
  publish    brings tables of Apache Iceberg in PLACE, a folder or s3://BUCKET/PREFIX, to what the project has now, for other
             engines to read: events, persons, distinct_ids. --keep: snapshots that stay readable (5); --endpoint: as for backup`,
    options: { json: "flag", erased: "flag", keep: "text", endpoint: "text" },
    words: 5,
    actions: { "": ["json"], verify: ["erased", "json"], pin: [], unpin: [], publish: ["keep", "endpoint", "json"] },
    run: async (given, config) => onRecords(config, (await import("./lake.ts")).readLake(given, config)),
  }),
  command({
    name: "explain",
    summary: "show the statements behind a query or an insight",
    usage: `usage: weir explain PROJECT FILE
       weir explain PROJECT --insight SHORT_ID

Runs a query and shows each statement of it: the number of files and the times that it read, its values, its text.

  FILE       holds a query node as JSON, or HogQL; - is the standard input
  --insight  the saved insight with this short id
  PROJECT    is the id of an environment`,
    options: { insight: "text" },
    words: 2,
    run: async (given, config) => onRecords(config, (await import("./explain.ts")).readExplain(given, config)),
  }),
  command({
    name: "dead-letters",
    summary: "list dead letters, and send them in again",
    usage: `usage: weir dead-letters list [--project ID] [--all] [--limit N] [--json]
       weir dead-letters redrive ID [ID …]
       weir dead-letters redrive --every [--project ID]

  list      accepted events that could not be worked on, newest first, 100 without --limit; --all: also those that were
            sent in again
  redrive   sends them in again, on the lane that they came from`,
    options: { project: "text", limit: "text", all: "flag", every: "flag", json: "flag" },
    words: Number.POSITIVE_INFINITY,
    actions: { list: ["project", "limit", "all", "json"], redrive: ["every", "project"] },
    run: async (given, config) => onRecords(config, (await import("./deadLetters.ts")).readDeadLetters(given, config)),
  }),
  command({
    name: "partitions",
    summary: "show and change the number of partitions",
    usage: `usage: weir partitions
       weir partitions set N [--anyway]

Without arguments: the number of partitions, which is how many workers can share the events.

  set       a new generation of streams with N partitions (1 to 1024), while Weir runs. Captures are answered 503 until all that
            waits is stored, a few seconds where little waits; senders try again. Order and exactly-once are kept. Refused
            while events wait that are older than 30 seconds
  --anyway  also then`,
    options: { anyway: "flag" },
    words: 2,
    actions: { "": [], set: ["anyway"] },
    run: async (given, config) => (await import("./partitions.ts")).runPartitions(given, config),
  }),
  command({
    name: "keys",
    summary: "make, list and revoke personal API keys",
    usage: `usage: weir keys create --label TEXT --scopes SCOPE,… [--projects ID,…] [--level member|admin|owner] [--json]
       weir keys list [--json]
       weir keys revoke ID

  create  makes a key and prints its value, this once. --scopes '*' allows everything, insight:read,query:read only that;
          --projects limits the key to environments of these ids; --level is member when absent
  list    shows the keys without their values
  revoke  ends a key; list shows the ids`,
    options: { label: "text", scopes: "text", projects: "text", level: "text", json: "flag" },
    words: 2,
    actions: { create: ["label", "scopes", "projects", "level", "json"], list: ["json"], revoke: [] },
    run: async (given, config) => onRecords(config, (await import("./keys.ts")).readKeys(given)),
  }),
  command({
    name: "login-link",
    summary: "make a one-time link that sets a password",
    usage: `usage: weir login-link [--email EMAIL] [--json]

Prints a link that opens the page on which a user sets a password, once, within 30 minutes. All other sessions of the user end
then. A link begins with WEIR_PUBLIC_URL, else with the address of the front on this machine.

  --email  whose password; the owner's when absent`,
    options: { email: "text", json: "flag" },
    run: async (given, config) => onRecords(config, (await import("./loginLink.ts")).readLoginLink(given, config)),
  }),
  command({
    name: "projects",
    summary: "make and list projects",
    usage: `usage: weir projects create NAME [--json]
       weir projects list [--json]

Prints the project API keys, with which clients send events.`,
    options: { json: "flag" },
    words: 2,
    run: async (given, config) => onRecords(config, (await import("./projects.ts")).readProjects(given)),
  }),
  command({
    name: "demo",
    summary: "make a project with months of events of a made-up product",
    usage: `usage: weir demo [--people N] [--days N] [--seed N] [--url URL] [--json]

Makes a project with months of events of a made-up product, and insights about them. The events go through the running Weir
like any others.

  --people  how many people there are (1500)
  --days    how many days of events they have (120)
  --seed    another number gives other people (1)
  --url     the front that takes the events; when absent, the front that runs on the data folder`,
    options: { people: "text", days: "text", seed: "text", url: "text", json: "flag" },
    run: async (given, config) => onRecords(config, (await import("./demo.ts")).readDemo(given, config)),
  }),
  {
    name: "import",
    summary: "bring the history of another product in; as often as one likes",
    usage: IMPORT_USAGE,
    usageFor: async (argv) => (await import("./import/usage.ts")).usageFor(argv),
    run: async (argv) => (await import("./import/mod.ts")).runImport(argv),
  },
  command({
    name: "export",
    summary: "write a whole project into a folder",
    usage: `usage: weir export FOLDER --project N [--url URL] [--key KEY] [--from TIME] [--to TIME]
                   [--format parquet|jsonl] [--json]

Writes a project into a folder, in open formats: events, persons, groups, definitions, insights, dashboards, cohorts, actions,
annotations and alerts, with a manifest of all files, their numbers of rows and checksums. The same command goes on where it was ended.
\`weir import weir FOLDER\` makes a project of it again.

  --project  the id of an environment
  --url      a Weir on another machine; when absent, the one that runs on the data folder
  --key      a personal API key, also in WEIR_API_KEY; when absent, one is made in the data folder, and revoked at the end
  --from     events and persons accepted from then on: a day (UTC), or a time with a zone; all when absent
  --to       up to then, exclusive; now when absent
  --format   parquet (packed with zstd), or jsonl (lines of JSON, packed with gzip)
  --json     progress and result as lines of JSON`,
    options: {
      ...{ project: "text", url: "text", key: "text", from: "text", to: "text", format: "text" },
      json: "flag",
    },
    words: 1,
    run: async (given, config) => (await import("./export.ts")).exportProject(given, config),
  }),
  command({
    name: "backup",
    summary: "copy everything that is stored to a folder or a bucket, also while Weir runs",
    usage: `usage: weir backup PLACE [--keep N] [--wait SECONDS] [--endpoint URL] [--json]
       weir backup list PLACE [--endpoint URL] [--json]

Makes a snapshot of records and files in PLACE, a folder or s3://BUCKET/PREFIX. Files that an earlier snapshot there has are not
copied again. Ends with 1 where a file was damaged before.

  list        shows the snapshots of PLACE
  --keep      snapshots that stay, this one included; older ones are removed. All when absent
  --wait      how long events that are queued at the start may take to be stored (60)
  --endpoint  a server that speaks S3 and is not Amazon's. Credentials are AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION`,
    options: { keep: "text", wait: "text", endpoint: "text", json: "flag" },
    words: 2,
    actions: { "": ["keep", "wait", "endpoint", "json"], list: ["endpoint", "json"] },
    run: async (given, config) => (await import("./backup.ts")).runBackup(given, config),
  }),
  command({
    name: "restore",
    summary: "put a backup into an empty data folder",
    usage: `usage: weir restore PLACE [--snapshot NAME] [--endpoint URL] [--json]

Puts a snapshot of PLACE (see \`weir backup --help\`) into WEIR_DATA_DIR, which must be empty, and into the database of DATABASE_URL
where there is one, which must be empty too. All checksums are compared. The same command goes on where it was ended.

  --snapshot  one of \`weir backup list\`; when absent the one that was interrupted, else the newest
  --endpoint  as for backup`,
    options: { snapshot: "text", endpoint: "text", json: "flag" },
    words: 1,
    run: async (given, config) => (await import("./restore.ts")).runRestore(given, config),
  }),
];

type DoOnRecords = typeof import("./kit/records.ts").doOnRecords;

const onRecords: DoOnRecords = async (config, deed) => (await import("./kit/records.ts")).doOnRecords(config, deed);
