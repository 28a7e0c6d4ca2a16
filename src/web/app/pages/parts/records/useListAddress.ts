import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";

/** Keeps the address bar at what a list shows: its search and filters. */
export function useListAddress(address: string): void {
  const { route } = useLocation();
  useEffect(() => {
    const { pathname, search } = window.location;
    if (pathname + search !== address) route(address, true);
  }, [address]);
}
