type Values = Readonly<Record<string, unknown>>;

/** What Weir writes into events that it accepts. */
const OF_WEIR = /^\$(sent_at|group_[0-4])$/;
/** What SDKs write only about an element that was clicked or changed. */
const OF_AUTOCAPTURE =
  /^\$(event_type|el_text|elements(_chain.*)?|ce_version|external_click_url|autocapture_.*|selected_content)$/;
/** What SDKs send in the form that a call gave to it. */
const OF_CALL = /^\$(set|set_once|unset|groups|group_type|group_key|group_set)$/;
/** What SDKs of browsers read from the address of a page. */
const OF_ADDRESS = /^(utm_\w+|gad_source|[a-z]{2,7}clid|gbraid|wbraid|mc_cid|igshid|_kx|irclid)$/;

/**
 * Where a property of an event came from, as its name and the event tell: names with `$` are those of SDKs, others those of the code
 * that sent it.
 */
export function propertyOrigin(key: string, event: string, properties: Values): string {
  if (OF_WEIR.test(key)) return "Weir";
  if (key === "$ip") return "The event, else Weir by the request";
  const sdk = sdkOf(properties);
  if (event === "$autocapture" && OF_AUTOCAPTURE.test(key))
    return sdk === null ? "Autocapture" : `Autocapture of ${sdk}`;
  const isOfSdk = key.startsWith("$") ? !OF_CALL.test(key) : OF_ADDRESS.test(key) && properties.$lib === "web";
  return isOfSdk && sdk !== null ? `SDK ${sdk}` : "Your code";
}

/** Its name and version; null where the event names none. */
function sdkOf({ $lib: name, $lib_version: version }: Values): string | null {
  if (typeof name !== "string" || name === "") return null;
  return typeof version === "string" && version !== "" ? `${name} ${version}` : name;
}
