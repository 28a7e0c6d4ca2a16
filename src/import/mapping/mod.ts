export { deviceTypeName, deviceTypeOf, systemName, versionInName } from "./devices.ts";
export { eventOf, groupIdentifies, identifies, needId, needName, needObject } from "./events.ts";
export { formatByName, nameOf, originOfFiles } from "./files.ts";
export { addPage, addReferrer, parseUrl } from "./pages.ts";
export { countryName } from "./places.ts";
export { Properties } from "./properties.ts";
export { sessionIdOf } from "./sessions.ts";
export { epochTime, firstTime, fromWallClock, isZone, microsTime, parseTime, storable } from "./times.ts";
export {
  booleanOf,
  canonicalJson,
  idOf,
  integerOrSame,
  listOf,
  numberOf,
  objectOf,
  textOf,
  withoutNulls,
} from "./values.ts";
