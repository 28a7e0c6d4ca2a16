import { Type } from "@sinclair/typebox";
import { type Field, FieldError, refuseNull } from "../http/fields.ts";

const MIN_LENGTH = 12;
/** Nobody types more; hashing more would cost more. */
const MAX_BYTES = 512;

/** A password as somebody has typed it: nothing is cut off it, and what looks the same is the same (Unicode's NFKC). */
export function anyPassword(): Field<string> {
  return {
    schema: Type.String({ minLength: 1, maxLength: MAX_BYTES, format: "password" }),
    read(value) {
      refuseNull(value);
      if (typeof value !== "string") throw new FieldError("invalid_input", "Not a valid string.");
      const password = value.toWellFormed().normalize("NFKC");
      if (password === "") throw new FieldError("blank", "This field may not be blank.");
      if (Buffer.byteLength(password) <= MAX_BYTES) return password;
      throw new FieldError(
        "password_too_long",
        `This password is too long. It must not have more than ${MAX_BYTES} bytes.`,
      );
    },
  };
}

/** A password that is to be set: one that is long enough. */
export function newPassword(): Field<string> {
  const any = anyPassword();
  return {
    schema: Type.String({ minLength: MIN_LENGTH, maxLength: MAX_BYTES, format: "password" }),
    read(value) {
      const password = any.read(value);
      if ([...password].length >= MIN_LENGTH) return password;
      const detail = `This password is too short. It must contain at least ${MIN_LENGTH} characters.`;
      throw new FieldError("password_too_short", detail);
    },
  };
}
