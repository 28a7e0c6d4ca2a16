import type { Fields } from "../../fields.ts";
import { deviceTypeOf, integerOrSame, type Properties, systemName } from "../../mapping/mod.ts";

/**
 * What a row says of the device. Of the web, `os_name` is the browser and `device_type` the system; elsewhere they are what they are
 * called, with a model.
 */
export function addDevice(fields: Fields, properties: Properties): void {
  const isWeb = fields.text("platform")?.toLowerCase() === "web";
  if (isWeb) addBrowser(fields, properties);
  else addMobile(fields, properties);
}

function addBrowser(fields: Fields, properties: Properties): void {
  const system = fields.text("device_type");
  properties.set("$browser", fields.text("os_name"));
  properties.set("$browser_version", integerOrSame(fields.text("os_version")));
  properties.set("$device_model", fields.text("device_model") ?? fields.text("device_family"));
  if (system === null) return;
  properties.set("$os", systemName(system));
  properties.set("$device_type", deviceTypeOf(system, fields.text("device_family")));
}

function addMobile(fields: Fields, properties: Properties): void {
  const system = fields.text("os_name");
  const model = fields.text("device_model") ?? fields.text("device_type") ?? fields.text("device_family");
  properties.set("$os_version", fields.text("os_version"));
  properties.set("$device_manufacturer", fields.text("device_manufacturer") ?? fields.text("device_brand"));
  properties.set("$device_model", model);
  if (system !== null) properties.set("$os", systemName(system));
  properties.set("$device_type", deviceTypeOf(system, model) ?? deviceTypeOf(fields.text("device_type"), model));
}
