import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, TerminalError } from "../types/mod.ts";

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Before every text that is kept, so that another form can follow. */
const FORM = "v1:";
const KEY_FILE = "export.key";
/** Files of the data folder without which secrets in the records cannot be read: a backup takes them along. */
export const SECRET_FILES: readonly string[] = [KEY_FILE];

/** Keeps what must not be shown: of destinations, the keys that webhooks are signed with. The key lies in the data folder, or is a setting. */
export class SecretBox {
  private key: Buffer | null = null;

  /** `setting`: any text, in place of the key of the data folder. */
  constructor(private readonly o: { dataDir: string; setting: string | null }) {}

  /**
   * Encrypts members, bound to the record that they are of: elsewhere they cannot be opened. '' for none.
   */
  seal(members: JsonObject, recordId: string): string {
    if (Object.keys(members).length === 0) return "";
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.readKey(), nonce);
    cipher.setAAD(Buffer.from(recordId));
    const sealed = Buffer.concat([cipher.update(JSON.stringify(members), "utf8"), cipher.final()]);
    return FORM + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64");
  }

  /** Throws TerminalError `secrets_unreadable` where the key is another one than they were encrypted with. */
  open(text: string, recordId: string): JsonObject {
    if (text === "") return {};
    try {
      const bytes = Buffer.from(text.slice(FORM.length), "base64");
      const decipher = createDecipheriv(ALGORITHM, this.readKey(), bytes.subarray(0, NONCE_BYTES));
      decipher.setAAD(Buffer.from(recordId));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const plain = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
      return JSON.parse(plain.toString("utf8"));
    } catch (cause) {
      const problem = "The secrets of this record cannot be decrypted: their key has changed. Set them again.";
      throw new TerminalError("secrets_unreadable", problem, { cause });
    }
  }

  private readKey(): Buffer {
    const { setting, dataDir } = this.o;
    this.key ??= setting !== null ? createHash("sha256").update(setting).digest() : keyIn(join(dataDir, KEY_FILE));
    return this.key;
  }
}

/** The key of the file; made where it is missing. Of several processes that make it at once, all get the same. */
function keyIn(path: string): Buffer {
  try {
    return keyOf(readFileSync(path, "utf8"), path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const draft = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  writeFileSync(draft, `${randomBytes(KEY_BYTES).toString("hex")}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return keyOf(readFileSync(path, "utf8"), path);
}

function keyOf(text: string, path: string): Buffer {
  const key = Buffer.from(text.trim(), "hex");
  if (key.length === KEY_BYTES) return key;
  throw new TerminalError("secrets_unreadable", `${path} does not hold a key of ${KEY_BYTES} bytes in hex.`);
}
