import { LEVELS, type Level } from "../../metadata/mod.ts";
import { MEMBERSHIP_LEVELS } from "../environments/shape.ts";
import { choice, mapped } from "../http/fields.ts";

/** A level as the API numbers it: 1 member, 8 admin, 15 owner. */
export const levelNumber = () =>
  mapped(choice([1, 8, 15]), (number): Level => LEVELS.find((level) => MEMBERSHIP_LEVELS[level] === number)!);
