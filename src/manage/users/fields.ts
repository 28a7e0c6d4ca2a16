import type { Json } from "../../types/mod.ts";
import { anyJson, object } from "../http/compound.ts";
import { boolean, choice, type Field, FieldError, integer, nullable, text } from "../http/fields.ts";
import { anyPassword, newPassword } from "../passwords/fields.ts";

const EMAIL = /^[^\s@<>()[\],;:"]+@[^\s@.]+(\.[^\s@.]+)+$/;

function email(): Field<string> {
  const any = text({ maxLength: 254 });
  return {
    schema: any.schema,
    read(value) {
      const address = any.read(value);
      if (!EMAIL.test(address)) throw new FieldError("invalid_input", "Enter a valid email address.");
      return address;
    },
  };
}

/** What a user chose for the pages. */
export const USER_SETTINGS: Record<string, { field: Field<Json>; default: Json }> = {
  notification_settings: { field: object(), default: {} },
  anonymize_data: { field: nullable(boolean()), default: false },
  toolbar_mode: { field: nullable(choice(["disabled", "toolbar"])), default: "toolbar" },
  theme_mode: { field: nullable(choice(["light", "dark", "system"])), default: null },
  has_seen_product_intro_for: { field: nullable(object()), default: null },
  events_column_config: { field: anyJson(), default: { active: "DEFAULT" } },
  scene_personalisation: { field: anyJson(), default: [] },
};

/** Fields with a column of their own, and what it is called. */
export const USER_COLUMNS: Record<
  string,
  "firstName" | "lastName" | "email" | "roleAtOrganization" | "hedgehogConfig"
> = {
  first_name: "firstName",
  last_name: "lastName",
  email: "email",
  role_at_organization: "roleAtOrganization",
  hedgehog_config: "hedgehogConfig",
};

/** What a user shows of itself, and may set when it sets its first password. */
export const PERSON_FIELDS = {
  first_name: text({ maxLength: 150 }),
  email: email(),
};

export const USER_FIELDS = {
  ...PERSON_FIELDS,
  last_name: text({ maxLength: 150, blank: true }),
  role_at_organization: text({ maxLength: 64, blank: true }),
  hedgehog_config: nullable(object()),
  set_current_team: integer({ min: 1 }),
  password: newPassword(),
  current_password: anyPassword(),
  ...Object.fromEntries(Object.entries(USER_SETTINGS).map(([name, entry]) => [name, entry.field])),
};
