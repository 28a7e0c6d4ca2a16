import type { Destination, DestinationEnv, OpenDestination, Part, RunRange } from "../../model.ts";
import { type Names, namesOf } from "../../names.ts";
import { Bucket } from "./bucket.ts";
import { readS3Config, type S3Config } from "./config.ts";

/** Parts of an earlier try are looked for until so many names in a row have none. */
const GAP = 3;

/** S3 and what speaks like it. An object is a function of export, interval and part: a run that is done again replaces them. */
function s3(type: string): Destination {
  return {
    type,
    secrets: ["aws_access_key_id", "aws_secret_access_key"],
    check(config) {
      readS3Config(config);
      return config;
    },
    open: async (config, range, env) => new OpenBucket(readS3Config(config), range, env),
  };
}

export const S3_DESTINATIONS: readonly Destination[] = ["S3", "AwsS3", "S3Compatible"].map(s3);

class OpenBucket implements OpenDestination {
  readonly format: OpenDestination["format"];
  private readonly names: Names;
  private readonly bucket: Bucket;
  private readonly sent: string[] = [];

  constructor(
    private readonly config: S3Config,
    range: RunRange,
    env: DestinationEnv,
  ) {
    const { format, compression, maxPartBytes } = config;
    this.format = { format, compression, maxPartBytes };
    this.names = namesOf(range, config.prefix, config);
    this.bucket = new Bucket(config, env);
  }

  async put(part: Part, signal: AbortSignal): Promise<number> {
    const key = this.names.part(part.number);
    await this.bucket.putFile(key, part.path, part.bytes, signal);
    this.sent[part.number] = key;
    return part.bytes;
  }

  /** The manifest names the parts that belong to the run, where files have a greatest size. */
  async finish(parts: number, signal: AbortSignal): Promise<void> {
    await this.removeFrom(parts, signal);
    if (this.config.maxFileMb === null) return;
    const files = this.sent.slice(0, parts);
    await this.bucket.putText(this.names.manifest, JSON.stringify({ files }), signal);
  }

  async test(signal: AbortSignal): Promise<void> {
    const key = `${this.names.manifest}.test`;
    await this.bucket.putText(key, "", signal);
    await this.bucket.remove(key, signal);
  }

  async close(): Promise<void> {}

  private async removeFrom(first: number, signal: AbortSignal): Promise<void> {
    for (let number = first, lacking = 0; lacking < GAP; number++) {
      const key = this.names.part(number);
      if (await this.bucket.has(key, signal)) {
        await this.bucket.remove(key, signal);
        lacking = 0;
      } else lacking++;
    }
  }
}
