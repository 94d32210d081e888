// What the buttons do. Each call reports its outcome as text.

// A browser has six connections to a server. One is for the stream, one is kept for a release by force and for the store.
const MOST_CALLS = 4;

let calls = 0;

async function send(path) {
	let response;
	try {
		response = await fetch(path, { method: 'POST' });
	}
	catch {
		return { failure: 'The instance does not answer' };
	}
	const body = response.status === 204 ? {} : await response.json().catch(() => ({}));
	return response.ok ? { body } : { failure: `${body.title ?? response.statusText} (${response.status})`, type: body.type };
}

/** Sends a call that may wait. */
async function call(path) {
	if (calls >= MOST_CALLS) {
		return { failure: `${MOST_CALLS} calls of this page are under way; wait until one has ended` };
	}
	calls++;
	try {
		return await send(path);
	}
	finally {
		calls--;
	}
}

async function reserve(order, say) {
	say('Reserving …');
	const { body, failure } = await call(`orders/${order}/reserve`);
	say(failure ?? `Reserved one; ${body.stock} left`);
}

async function pack(order, say) {
	say('Packing …');
	const { failure, type } = await call(`orders/${order}/pack?ms=20000`);
	say(type === 'urn:problem:lease-lost' ? 'Packing stopped: the holder was notified that its lease was lost'
		: failure ?? 'Packed');
}

/** Stalls one client, and lets another one get the lock as soon as the first has it. */
async function stall(order, say, held) {
	say('Stalling for 6 s …');
	let ended = false;
	const stalled = call(`orders/${order}/stall?ms=6000`).finally(() => ended = true);
	while (!ended && !held()) {
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
	if (!ended) {
		say('Stalling for 6 s; another client waits for the lock …');
		call(`orders/${order}/reserve`).then(({ body, failure }) => {
			if (!ended) {
				say(failure ?? `Another client has reserved; ${body.stock} left. The stalled one will write now …`);
			}
		});
	}
	const { failure, type } = await stalled;
	say(type === 'urn:problem:stale-token' ? 'Stale write refused: a later holder has written' : failure ?? 'Written in time');
}

async function release(key, say) {
	const { body, failure } = await send(`locks/release?key=${encodeURIComponent(key)}`);
	say(failure ?? (body.held ? 'Released by force' : 'There was no holder'));
}

export async function switchStore(action, say) {
	const { failure } = await send(`store/${action}`);
	say(failure ?? (action === 'away' ? 'The store was taken away from this instance' : 'The store is back'));
}

const RELEASE = { name: 'release', label: 'Force release', run: (lock) => release(lock.key, lock.say) };

/** Returns the actions for a lock: those of an order, or only the release. */
export function actionsFor(key) {
	const order = /^order:(\d+)$/.exec(key)?.[1];
	return order === undefined ? [RELEASE] : [
		{ name: 'reserve', label: 'Reserve', run: (lock) => reserve(order, lock.say) },
		{ name: 'stall', label: 'Stall a holder', run: (lock) => stall(order, lock.say, lock.isHeld) },
		{ name: 'pack', label: 'Pack for 20 s', run: (lock) => pack(order, lock.say) },
		RELEASE,
	];
}
