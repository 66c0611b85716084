package template_test

import "testing"

// Records that only tell which others belong together hold nothing else, and two of the same kind are told apart.
func TestProjectsLinkRecords(t *testing.T) {
	t.Parallel()
	const wish = " API. Dishes have a name. Allergens have a code. A dish can have many allergens and an allergen can be in many dishes. A game has a first team and a second team. Teams have a name."
	p := begin(t, "Python"+wish, nil)
	const want = "dishes/dish(name:string);allergens/allergen(code:string);dish_allergens/dish_allergen(dish_id:ref.dish,allergen_id:ref.allergen);games/game(first_team_id:ref.team,second_team_id:ref.team);teams/team(name:string)"
	if got := p.state["resources"]; got != want {
		t.Errorf("resources are %s, want %s", got, want)
	}
	command(t, p.write(t), []string{"PYTHONDONTWRITEBYTECODE=1"}, "python3", "-W", "error", "-m", "unittest", "discover", "-s", "tests", "-t", ".")
	checkGo(t, begin(t, "Go"+wish, nil))
}
