import { switchStore } from './actions.js';
import { connect } from './live.js';
import { showLocks } from './locks.js';
import { showRuns } from './runs.js';
import { hue, showInstance, write } from './text.js';

const CONNECTION = { live: 'Live', lost: 'Connection lost; trying again …' };

const element = (id) => document.getElementById(id);

function showStore(store, isRead) {
	const away = store.away;
	write(element('store-name'), store.name);
	write(element('store-address'), store.address ?? '');
	write(element('store-state'), away ? 'Away from this instance: its calls fail'
		: isRead ? 'Answers' : 'Does not answer');
	element('store').dataset.state = away || !isRead ? 'away' : 'there';
	const button = element('store-switch');
	button.dataset.action = away ? 'back' : 'away';
	write(button, away ? 'Bring the store back' : 'Take the store away');
}

function show(state) {
	document.title = `${state.instance} · Distributed locks`;
	document.documentElement.dataset.hue = hue(state.instance);
	showInstance(element('instance'), state.instance);
	if (state.store) {
		showStore(state.store, Boolean(state.holders));
	}
	showLocks(state);
	showRuns(state.runs);
}

function showConnection(connection) {
	element('connection').dataset.state = connection;
	write(element('connection'), CONNECTION[connection]);
	document.documentElement.dataset.connection = connection;
}

element('store-switch').addEventListener('click', (event) =>
	switchStore(event.currentTarget.dataset.action, (text) => write(element('store-outcome'), text)));
connect(show, showConnection);
