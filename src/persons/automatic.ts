/** Properties of events that also become properties of the person (docs/persons.md#automatic-properties). */
export const automaticPersonKeys: ReadonlySet<string> = new Set(
  `$app_build $app_name $app_namespace $app_version $browser $browser_version $device_type $current_url $pathname $os
  $os_name $os_version $referring_domain $referrer $screen_height $screen_width $viewport_height $viewport_width
  $raw_user_agent utm_source utm_medium utm_campaign utm_content utm_name utm_term gclid gad_source gclsrc dclid gbraid
  wbraid fbclid msclkid twclid li_fat_id mc_cid igshid ttclid rdt_cid irclid _kx epik qclid sccid`.split(/\s+/),
);

/** Which property of the person an automatic one becomes: itself, but that some SDKs have another name for `$os`. */
export function personKey(key: string): string {
  return key === "$os_name" ? "$os" : key;
}

/** The property that keeps its first value: `$initial_browser` of `$browser`, `$initial_os` of `$os_name`. */
export function initialKey(key: string): string {
  return `$initial_${personKey(key).replace(/^\$/, "")}`;
}
