// The live stream of states. Reconnects by itself, also if the browser would give up, as it does for an error of HTTP.

const SHORTEST_PAUSE = 500;
const LONGEST_PAUSE = 3000;
// States come twice a second. A connection without any is dead, even if no error is reported.
const LONGEST_SILENCE = 6000;

/**
 * Opens the stream and keeps it open while the page is visible.
 * @param onState receives each state
 * @param onConnection receives 'live' or 'lost' at each change
 */
export function connect(onState, onConnection) {
	let source = null;
	let pause = SHORTEST_PAUSE;
	let retry = 0;
	let silence = 0;

	function open() {
		close();
		source = new EventSource('live');
		source.addEventListener('state', (event) => {
			pause = SHORTEST_PAUSE;
			watch();
			onConnection('live');
			onState(JSON.parse(event.data));
		});
		source.addEventListener('error', lost);
		watch();
	}

	function watch() {
		clearTimeout(silence);
		silence = setTimeout(lost, LONGEST_SILENCE);
	}

	function lost() {
		close();
		onConnection('lost');
		retry = setTimeout(open, pause * (0.75 + Math.random() / 2));
		pause = Math.min(2 * pause, LONGEST_PAUSE);
	}

	function close() {
		clearTimeout(retry);
		clearTimeout(silence);
		source?.close();
		source = null;
	}

	// A phone that sleeps, or a window in the background, needs no states.
	document.addEventListener('visibilitychange', () => document.hidden ? close() : open());
	window.addEventListener('online', open);
	if (!document.hidden) {
		open();
	}
}
