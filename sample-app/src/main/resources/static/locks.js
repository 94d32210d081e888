// The cards of the locks. A card stays where it is and keeps its elements, so that the focus stays, too.

import { actionsFor } from './actions.js';
import { create, hue, seconds, showInstance, time, write } from './text.js';

// Until the next state is there.
const AHEAD = 500;

const list = document.getElementById('lock-list');
const template = document.getElementById('lock-template');
const cards = new Map();

// What was read last. A part that the instance could not read is missing in a state.
const known = { holders: [], waiters: [], events: [], orders: [] };

export function showLocks(state) {
	Object.keys(known).filter((part) => state[part]).forEach((part) => known[part] = state[part]);
	list.dataset.read = Boolean(state.holders);
	const present = keys();
	cards.forEach((card, key) => removeUnless(present.has(key), card, key));
	present.forEach((key) => cards.has(key) || cards.set(key, createCard(key)));
	cards.forEach((card, key) => update(card, key, Boolean(state.holders)));
}

function keys() {
	return new Set([...known.orders.map((order) => `order:${order.id}`), ...known.holders.map((holder) => holder.key),
		...known.waiters.map((waiter) => waiter.key), ...known.events.map((event) => event.key).sort()]);
}

/** Removes a card that shows nothing any more, unless it has the focus. */
function removeUnless(isNeeded, card, key) {
	if (!isNeeded && !card.element.contains(document.activeElement)) {
		card.element.remove();
		cards.delete(key);
	}
}

function createCard(key) {
	const element = template.content.firstElementChild.cloneNode(true);
	element.dataset.key = key;
	const part = (selector) => element.querySelector(selector);
	const card = { element, stock: part('.stock'), holder: part('.holder'), bar: part('.bar'), waiters: part('.waiters'),
		events: part('.events'), span: 0, token: null };
	part('h3').textContent = key;
	card.bar.setAttribute('aria-label', `Time left for the holder of ${key}`);
	card.events.setAttribute('aria-label', `Last events of ${key} on this instance`);
	const outcome = part('.outcome');
	const lock = { key, say: (text) => write(outcome, text), isHeld: () => card.token !== null };
	for (const action of actionsFor(key)) {
		const button = create('button', part('.actions'));
		button.type = 'button';
		button.dataset.action = action.name;
		button.textContent = action.label;
		create('span', button, 'unseen').textContent = ` ${key}`;
		button.addEventListener('click', () => action.run(lock));
	}
	// Orders come first, each where its number says; other locks follow by name.
	const next = [...list.children].find((other) => rank(other.dataset.key) > rank(key));
	list.insertBefore(element, next ?? null);
	return card;
}

function rank(key) {
	return /^order:\d+$/.test(key) ? `1 ${key.slice(6).padStart(20, '0')}` : `2 ${key}`;
}

function update(card, key, isRead) {
	const holder = known.holders.find((each) => each.key === key);
	const order = known.orders.find((each) => `order:${each.id}` === key);
	write(card.stock, order ? `${order.stock} in stock` : '');
	showHolder(card, holder, isRead);
	showBar(card, holder, isRead);
	const waiters = known.waiters.filter((each) => each.key === key);
	write(card.waiters, waiters.length === 0 ? 'No call waits here'
		: `${waiters.length} waiting here: ${waiters.map((each) => seconds(each.waited)).join(', ')}`);
	card.waiters.dataset.count = waiters.length;
	showEvents(card, known.events.filter((each) => each.key === key));
}

function showHolder(card, holder, isRead) {
	card.element.dataset.state = holder ? 'held' : 'free';
	const content = holder ? `${holder.instance} ${holder.token} ${isRead}` : String(isRead);
	if (card.content === content) {
		return;
	}
	card.content = content;
	card.holder.textContent = '';
	if (holder) {
		card.holder.append(isRead ? 'Held by ' : 'Last seen held by ');
		showInstance(create('span', card.holder), holder.instance);
		create('code', card.holder).textContent = `token ${holder.token}`;
	}
	else {
		card.holder.textContent = isRead ? 'Free' : 'Last seen free';
	}
}

/** Lets the bar move to where it will be when the next state comes. */
function showBar(card, holder, isRead) {
	if (holder?.token !== card.token) {
		card.token = holder?.token ?? null;
		card.span = 0;
	}
	const remaining = holder?.remaining ?? 0;
	card.span = Math.max(holder?.ttl ?? 0, card.span, remaining, 1);
	const ahead = isRead ? AHEAD : 0;
	const filled = card.bar.firstElementChild;
	filled.style.transition = holder ? '' : 'none';
	filled.style.transform = `scaleX(${Math.max(0, remaining - ahead) / card.span})`;
	card.bar.dataset.hue = holder ? hue(holder.instance) : '';
	card.bar.setAttribute('aria-valuemax', card.span);
	card.bar.setAttribute('aria-valuenow', remaining);
	card.bar.setAttribute('aria-valuetext', holder ? `${seconds(remaining)} left` : 'not held');
}

function showEvents(card, events) {
	const content = events.map((event) => event.at + event.kind).join();
	if (card.shown === content) {
		return;
	}
	card.shown = content;
	card.events.textContent = '';
	for (const event of events) {
		const item = create('li', card.events);
		item.dataset.kind = event.kind.toLowerCase();
		create('time', item).textContent = time(event.at);
		item.append(` ${event.text}`);
		if (event.token) {
			item.append(' ');
			create('code', item).textContent = `token ${event.token}`;
		}
	}
}
