/** What is read from the environment beside the settings of src/config.ts; test/docs/settings.test.ts compares it with the source. */
export interface OtherVariables {
  names: string[];
  readBy: string;
  meaning: string;
}

const BUCKETS = "commands that name a bucket: `weir backup`, `restore`, `lake publish`, `import`";

export const OTHER_VARIABLES: readonly OtherVariables[] = [
  {
    names: ["WEIR_API_KEY"],
    readBy: "`weir import`, `weir export`",
    meaning: "a personal API key, where `--key` is absent",
  },
  {
    names: ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"],
    readBy: `${BUCKETS}; \`WEIR_STORE_…\` where absent`,
    meaning: "credentials; where absent, commands read `S3_ACCESS_KEY_ID` and so on",
  },
  {
    names: ["AWS_REGION", "AWS_DEFAULT_REGION"],
    readBy: `${BUCKETS}; the first by \`WEIR_STORE_REGION\` where absent`,
    meaning: "region of the bucket; commands read `S3_REGION` after the first",
  },
  {
    names: ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"],
    readBy: `${BUCKETS}; the first two by \`WEIR_STORE_ENDPOINT\` where absent`,
    meaning:
      "address of the S3 server, where `--endpoint` or `--s3-endpoint` is absent; commands read `S3_ENDPOINT_URL` and `S3_ENDPOINT` too",
  },
  {
    names: ["AMPLITUDE_API_KEY", "AMPLITUDE_SECRET_KEY"],
    readBy: "`weir import amplitude`",
    meaning: "keys of the project there, for its API",
  },
  {
    names: ["MIXPANEL_SECRET"],
    readBy: "`weir import mixpanel`",
    meaning: "secret of the service account, for its API",
  },
  {
    names: ["POSTHOG_API_KEY"],
    readBy: "`weir import posthog --from-cloud`",
    meaning: "a personal API key there",
  },
  {
    names: ["CLICKHOUSE_USER", "CLICKHOUSE_PASSWORD"],
    readBy: "`weir import posthog --clickhouse`",
    meaning: "user (`default` where absent) and password of the database",
  },
  {
    names: ["XDG_CONFIG_HOME"],
    readBy: "`weir install-service`",
    meaning: "folder of a user's units; `~/.config` where absent",
  },
  {
    names: ["BUN_JSC_forceRAMSize", "BUN_JSC_minEdenToOldGenerationRatio", "MALLOC_ARENA_MAX", "MIMALLOC_PURGE_DELAY"],
    readBy: "all processes",
    meaning: "how Bun and the C library give memory back; Weir has values of its own where they are absent",
  },
];
