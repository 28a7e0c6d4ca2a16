import { ConfigReader, invalidConfig } from "../../config.ts";

export interface PostgresConfig {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  schema: string;
  table: string;
  hasSelfSignedCert: boolean;
}

/** PostgreSQL cuts longer names. */
const NAME_MAX_BYTES = 63;

/** Throws TerminalError `invalid_config`. */
export function readPostgresConfig(config: Record<string, unknown>): PostgresConfig {
  const reader = new ConfigReader(config);
  reader.skip("include_events", "exclude_events");
  const name = (member: string, fallback?: string): string => {
    const value = fallback === undefined ? reader.text(member) : (reader.optionalText(member) ?? fallback);
    if (value.includes("\0") || Buffer.byteLength(value) > NAME_MAX_BYTES) {
      throw invalidConfig(member, `A name of PostgreSQL has at most ${NAME_MAX_BYTES} bytes.`);
    }
    return value;
  };
  const read: PostgresConfig = {
    host: reader.text("host"),
    port: reader.number("port", 1, 65_535) ?? 5432,
    user: reader.text("user"),
    password: reader.text("password"),
    database: reader.text("database"),
    schema: name("schema", "public"),
    table: name("table_name"),
    hasSelfSignedCert: reader.flag("has_self_signed_cert"),
  };
  reader.end();
  return read;
}
