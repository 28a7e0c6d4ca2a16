import { ConfigReader, invalidConfig } from "../../config.ts";
import type { Compression, FileFormat } from "../../model.ts";
import { readFileConfig } from "../fileConfig.ts";

const MIB = 1024 * 1024;
/** S3 takes at most 5 GiB in one request. */
const MAX_FILE_MB = 4096;
export interface S3Config {
  bucket: string;
  region: string;
  prefix: string;
  format: FileFormat;
  compression: Compression | null;
  /** Null where the user has set none: then there is no manifest. */
  maxFileMb: number | null;
  maxPartBytes: number;
  endpoint: string | null;
  isVirtualHosted: boolean;
  accessKeyId: string;
  secretAccessKey: string;
}

/** Throws TerminalError `invalid_config`. */
export function readS3Config(config: Record<string, unknown>): S3Config {
  const reader = new ConfigReader(config);
  const files = readFileConfig(reader, { format: "JSONLines", leastMb: 1, mostMb: MAX_FILE_MB });
  const { file_format: format, compression, max_file_size_mb: maxFileMb } = files;
  reader.refuse("encryption", "Weir cannot ask for encryption of objects: set a default encryption on the bucket.");
  reader.refuse("kms_key_id", "Weir cannot ask for encryption of objects: set a default encryption on the bucket.");
  const endpoint = reader.optionalText("endpoint_url");
  const read: S3Config = {
    bucket: reader.text("bucket_name"),
    region: reader.optionalText("region") ?? "us-east-1",
    prefix: reader.optionalText("prefix") ?? "",
    format,
    compression,
    maxFileMb,
    maxPartBytes: (maxFileMb ?? MAX_FILE_MB) * MIB,
    endpoint: endpoint === null ? null : readEndpoint(endpoint),
    isVirtualHosted: reader.flag("use_virtual_style_addressing"),
    accessKeyId: reader.text("aws_access_key_id"),
    secretAccessKey: reader.text("aws_secret_access_key"),
  };
  reader.end();
  return read;
}

function readEndpoint(text: string): string {
  const url = URL.parse(text);
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== "" ||
    url.search !== "" ||
    url.pathname !== "/"
  ) {
    throw invalidConfig("endpoint_url", "Must be an http(s) address without a path.");
  }
  return url.origin;
}
